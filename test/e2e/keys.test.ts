import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppHome, answeredBy } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];

/** The chat of a fresh home, ready for keys; `said` is what the model was told, in order. */
async function chat(
  options: Parameters<AppHome['start']>[0] = {},
): Promise<{ program: PtyProgram; said: string[]; user: AppHome }> {
  const said: string[] = [];
  const server = await startModelServer({
    script: ({ lastUser }) => {
      said.push(lastUser);
      return lastUser === 'wait'
        ? [{ text: 'Waiting.' }, { stall: true }]
        : [{ text: `Heard ${lastUser.length}.` }];
    },
  });
  const user = new AppHome({ settings: answeredBy(server.url) });
  open.push(async () => {
    await user.dispose();
    await server.close();
  });
  const program = user.start(options);
  await program.waitFor('ready');
  return { program, said, user };
}

/** Everything that is kept on disk for drafts. */
function keptDrafts(user: AppHome): string {
  const folder = join(user.state, 'drafts');
  const names = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.json'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/** The rows of the draft, without prompt and indent. */
function draft({ screen }: PtyProgram): string[] {
  const rows = screen.rows();
  const first = rows.findIndex((row) => row.startsWith(' › '));
  return rows.slice(first, -1).map((row) => row.slice(3));
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe('typing', () => {
  it('FC-06: pasted lines arrive as lines, and as one message', async () => {
    const { program, said } = await chat();
    await program.type('see: ');
    program.write('\u001b[200~one\r\nt\u001bw\u0007o\rthree\n\tfour\n\n/quit\n!rm\u001b[201~');
    await program.waitFor('!rm');
    await program.waitForQuiet(300);
    expect(draft(program)).toEqual(['see: one', 'two', 'three', '    four', '', '/quit', '!rm']);
    expect(said).toEqual([]);
    program.press('enter');
    await program.waitFor('Heard');
    expect(said).toEqual(['see: one\ntwo\nthree\n\tfour\n\n/quit\n!rm']);
  });

  it.each([
    ['LF', '\n'],
    ['ESC CR', '\u001b\r'],
    ['CSI 13;2u', '\u001b[13;2u'],
    ['CSI 27;2;13~', '\u001b[27;2;13~'],
  ])('FC-08: %s starts a new line', async (_name, bytes) => {
    const { program } = await chat();
    await program.type('one');
    program.write(bytes);
    await program.type('two');
    await program.waitFor('two');
    expect(draft(program)).toEqual(['one', 'two']);
  });

  it('FC-08: a letter and Enter in one read both count', async () => {
    const { program, said } = await chat();
    program.write('hi\r');
    await program.waitFor('Heard 2.');
    expect(said).toEqual(['hi']);
  });

  it('FC-04: the caret crosses one visible character a key, and the cursor is the terminal’s own', async () => {
    const { program } = await chat();
    program.write('漢字➡️é');
    await program.waitFor('漢字');
    await program.waitFor((screen) => screen.cursor().x === 3 + 4 + 2 + 1);
    expect(program.screen.cursor().visible).toBe(true);
    for (let key = 0; key < 4; key += 1) program.press('left');
    await program.waitFor((screen) => screen.cursor().x === 3);
    for (let key = 0; key < 4; key += 1) program.press('right');
    for (let key = 0; key < 4; key += 1) program.press('backspace');
    await program.waitFor('Write a message');
  });

  it('FC-12: the draft is never lost on the way through history, sessions and help', async () => {
    const { program } = await chat();
    await program.type('first');
    program.press('enter');
    await program.waitFor('Heard 5.');
    await program.waitFor('ready');
    await program.type('draft');
    program.press('up');
    await program.waitFor('› first');
    await program.type(' edited');
    program.press('down');
    await program.waitFor('› draft');
    program.press('up');
    await program.waitFor('› first edited');
    program.press('down');
    await program.waitFor('› draft');
    program.press('f2');
    await program.waitFor('Sessions');
    program.press('escape');
    await program.waitFor('› draft');
    program.press('f1');
    await program.waitFor('Everywhere');
    program.press('escape');
    await program.waitFor('› draft');
  });

  it('keeps a message that is too long, and says so', async () => {
    const { program, said } = await chat({ cols: 80, rows: 24 });
    program.paste('long '.repeat(4000));
    await program.waitFor('long long');
    program.press('enter');
    await program.waitFor('The message has 20,000 bytes');
    expect(program.screen.text()).toContain('long long');
    expect(said).toEqual([]);
  });

  it('survives a kill: the draft is there at the next start', async () => {
    const { program, user } = await chat();
    await program.type('half a thought');
    await vi.waitFor(() => expect(keptDrafts(user)).toContain('half a thought'));
    program.kill('SIGKILL');
    await program.exit;
    const again = user.start();
    await again.waitFor('› half a thought');
  });
});

describe('the way out', () => {
  it('FC-09: the first Ctrl+C clears the draft, the second one leaves', async () => {
    const { program } = await chat();
    await program.type('abc');
    await program.waitFor('› abc');
    program.press('ctrl+c');
    await program.waitFor('Ctrl+C again to leave');
    expect(draft(program)).toEqual(['Write a message']);
    await program.waitForQuiet(100);
    program.press('ctrl+c');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });

  it('FC-09: two Ctrl+C in one read are one press', async () => {
    const { program } = await chat();
    program.write('\u0003\u0003');
    await program.waitFor('Ctrl+C again to leave');
    await program.waitForQuiet(300);
    expect(program.isAlternate()).toBe(true);
  });

  it('FC-09: Esc stops a running turn once', async () => {
    const { program } = await chat();
    await program.type('wait');
    program.press('enter');
    await program.waitFor('Waiting.');
    program.press('escape');
    await program.waitFor('■ stopped');
    await program.waitFor('ready');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('FC-11: %s gives the terminal back', async (signal, code) => {
    const { program } = await chat();
    program.kill(signal);
    expect(await program.exit).toEqual({ code, signal: null });
    expect(program.screen.modes()).toMatchObject({
      alternate: false,
      bracketedPaste: false,
      focusReports: false,
      mouse: false,
      kittyDepth: 0,
    });
    expect(program.screen.cursor().visible).toBe(true);
    expect(program.screen.normalText()).toContain(signal);
  });

  it('FC-11: leaving leaves nothing behind but the way to come back', async () => {
    const { program } = await chat();
    await program.type('hello');
    program.press('enter');
    await program.waitFor('Heard 5.');
    await program.waitFor('ready');
    program.press('ctrl+d');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.screen.modes()).toMatchObject({ alternate: false, bracketedPaste: false, kittyDepth: 0 });
    expect(program.screen.normalText()).toContain('--session');
    expect(program.screen.normalText()).not.toContain('Heard');
  });
});

describe('the screen', () => {
  it('FC-02: is silent while nothing happens, and draws only the draft for a letter', async () => {
    const { program } = await chat({ cols: 80, rows: 24 });
    await program.waitForQuiet(500);
    const idle = program.mark();
    await program.waitForQuiet(2000);
    expect(program.bytesSince(idle)).toBe('');
    await program.type('k');
    await program.waitFor('› k');
    await program.waitForQuiet(200);
    const bytes = program.bytesSince(idle);
    expect(bytes).not.toContain('\u001b[2J');
    expect(bytes).not.toContain('ready');
    expect(bytes.length).toBeLessThan(400);
  });

  it('FC-03: after many resizes it equals a fresh start at the last size', async () => {
    const { program } = await chat({ cols: 80, rows: 24 });
    await program.type('hello');
    program.press('enter');
    await program.waitFor('Heard 5.');
    await program.waitFor('ready');
    await program.type('half a thought');
    for (let index = 0; index < 40; index += 1) program.resize([80, 120, 40][index % 3] ?? 80, 24);
    program.resize(64, 20);
    await program.waitFor(
      (screen) => screen.rows().length === 20 && screen.rows()[19]?.includes('ready') === true,
    );
    await program.waitForQuiet(300);
    const rows = program.screen.rows();
    expect(rows.filter((row) => row.includes('half a thought')).length).toBe(1);
    expect(rows[0]).toMatch(/^ hello/);
    expect(rows.join('\n').split('Heard 5.').length).toBe(2);
    expect(program.bytes()).not.toContain('\u001b[3J');
  });

  it('shows one notice in a window that is too small, and comes back by itself', async () => {
    const { program } = await chat({ cols: 80, rows: 24 });
    program.resize(18, 6);
    await program.waitFor('Window too small');
    program.resize(80, 24);
    await program.waitFor('ready');
  });
});
