/** Reading the talk on a real terminal: unfolding, the pager, searching, copying. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { AppHome } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function home(): AppHome {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1' } });
  open.push(() => user.dispose());
  return user;
}

async function started(env: Readonly<Record<string, string>> = {}): Promise<PtyProgram> {
  return start(home(), env);
}

async function start(user: AppHome, env: Readonly<Record<string, string>>): Promise<PtyProgram> {
  await user.command(['config', 'set', 'allow.bash', 'true']);
  const program = user.start({ cols: 80, rows: 30, env: { ...AWAY, ...env } });
  await program.waitFor('ready');
  return program;
}

/** No clipboard program of whoever runs the tests is asked. */
const AWAY = { DISPLAY: '', WAYLAND_DISPLAY: '', TMUX: '', STY: '', SSH_TTY: '/dev/pts/9' };

const LAST_LINE = /\n +20000\n/;

async function ask(program: PtyProgram, text: string): Promise<void> {
  await program.type(text);
  program.press('enter');
}

it('a long output is one line, some rows, and in full with what the talk does not keep', async () => {
  const program = await started();
  await ask(program, 'run seq 1 20000');
  await program.waitFor(/bash +seq 1 20000 +108\.9 KB +\d[\s\S]*● ready/);
  await program.type('a draft');
  program.press('ctrl+b');
  await program.waitFor('Enter unfold');
  await program.type('gjj');
  await program.waitFor('── tool call bash');
  program.press('enter');
  await program.waitFor(/▾ bash[\s\S]*… [\d,]+ more rows/);
  await program.type('o');
  await program.waitFor(/output · [\d.]+ KB of 108\.9 KB read/);
  for (let ends = 0; ends < 40 && !LAST_LINE.test(program.screen.text()); ends += 1) {
    const mark = program.mark();
    program.press('end');
    await program.waitFor(() => program.bytesSince(mark) !== '');
  }
  await program.waitFor(LAST_LINE);
  await program.type('c');
  await program.waitFor('Too long for the terminal');
  program.press('escape');
  await program.waitFor(/▌ +▾ bash/);
  await program.type('x');
  await program.waitFor('Esc goes back to writing');
  program.press('escape');
  await program.waitFor(/› a draft\n.*ready · .* in ·/);
});

it('search has the cursor in its field, marks what it finds, and gives the place back', async () => {
  const program = await started();
  await ask(program, 'long');
  await program.waitFor('working');
  await program.waitFor('● ready');
  const before = program.screen.text();
  program.press('ctrl+f');
  await program.type('demo model');
  await program.waitFor(/search: demo model +\d+ of \d+/);
  const row = program.screen.rows().findIndex((text) => text.startsWith(' search: '));
  await program.waitFor((screen) => screen.cursor().y === row && screen.cursor().x === 19);
  expect(program.screen.cursor().visible).toBe(true);
  const found = program.screen.rows().findIndex((text) => text.includes('Demo model'));
  const column = program.screen.rows()[found]?.indexOf('Demo model') ?? 0;
  expect(program.screen.cell(column, found).inverse).toBe(true);
  program.press('escape');
  await program.waitFor((screen) => screen.text() === before);
});

it('the last answer goes to the clipboard of the terminal over ssh, whole, and nothing more is claimed', async () => {
  const program = await started();
  await ask(program, 'read missing.txt');
  await program.waitFor(/That did not work[\s\S]*● ready/);
  program.press('alt+c');
  await program.waitFor(/Sent to the terminal: [\d,]+ characters/);
  expect(program.screen.clipboard()).toMatch(/missing\.txt/);
  expect(program.screen.clipboard()).not.toContain('\u001b');
});

it('where a clipboard program takes the text, the copy is told as done', async () => {
  const user = home();
  const bin = join(user.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xsel'), `#!/bin/sh\nexec cat > '${join(user.root, 'copied')}'\n`, { mode: 0o755 });
  const program = await start(user, { DISPLAY: ':0', SSH_TTY: '', PATH: `${bin}:${process.env.PATH}` });
  await ask(program, 'read missing.txt');
  await program.waitFor(/That did not work[\s\S]*● ready/);
  program.press('alt+c');
  await program.waitFor(/Copied: [\d,]+ characters\./);
  expect(readFileSync(join(user.root, 'copied'), 'utf8')).toMatch(/missing\.txt/);
  expect(program.screen.clipboard()).toBeNull();
});

it('inside tmux the sequence is wrapped for it', async () => {
  const program = await started({ TMUX: '/tmp/tmux-1/default,1,0' });
  await ask(program, 'hello');
  await program.waitFor(/found by itself[\s\S]*● ready/);
  const mark = program.mark();
  program.press('alt+c');
  await program.waitFor('Sent to the terminal');
  expect(program.bytesSince(mark)).toMatch(/\u001bPtmux;\u001b\u001b\]52;c;[\w+/=]+\u0007\u001b\\/);
});
