/** The window around the picture: its colours, its title, signs for who looks elsewhere, and keys of one's own. */
import { afterEach, describe, expect, it } from 'vitest';
import { AppHome, type StartOptions } from '../support/app.ts';
import type { PtyProgram } from '../support/pty.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function started(
  ui: Readonly<Record<string, unknown>>,
  options: StartOptions = {},
): Promise<PtyProgram> {
  const user = new AppHome({ settings: { provider: 'demo', model: 'demo-1', ui } });
  open.push(() => user.dispose());
  const program = user.start(options);
  await program.waitFor('ready');
  return program;
}

/** The colour of the word that says that all is well. */
function readyColour({ screen }: PtyProgram): string | number {
  const y = screen.rows().findIndex((row) => row.includes('● ready'));
  return screen.cell(screen.rows()[y]?.indexOf('●') ?? 0, y).foreground;
}

const DARK_GOOD = 114;
const LIGHT_GOOD = 28;

describe('colours', () => {
  it('fit the background that the terminal tells', async () => {
    const light = await started({}, { background: '#fdf6e3' });
    await light.waitFor(() => readyColour(light) === LIGHT_GOOD);
    const dark = await started({}, { background: '#002b36' });
    expect(readyColour(dark)).toBe(DARK_GOOD);
  });

  it('follow the terminal when it turns light, and stay dark where it says nothing', async () => {
    const program = await started({}, { background: null });
    expect(readyColour(program)).toBe(DARK_GOOD);
    program.write('\u001b[?997;2n');
    await program.waitFor(() => readyColour(program) === LIGHT_GOOD);
    expect(program.screen.text()).toContain('› Write a message');
  });

  it('are those of the settings, whatever the terminal says', async () => {
    const program = await started({ theme: 'light' }, { background: '#000000' });
    expect(readyColour(program)).toBe(LIGHT_GOOD);
  });

  it('are not asked for under NO_COLOR', async () => {
    const program = await started({ theme: 'contrast' }, { env: { NO_COLOR: '1' } });
    expect(program.bytes()).not.toContain('\u001b]11;?');
    expect(readyColour(program)).toBe('default');
  });
});

describe('the title of the window', () => {
  it('tells the folder and the state, and is given back', async () => {
    const program = await started({});
    expect(program.screen.title()).toBe('~/project · magi-term');
    await program.type('slow');
    program.press('enter');
    await program.waitFor((screen) => screen.title() === '~/project · magi-term · working');
    program.press('escape');
    await program.waitFor((screen) => screen.title() === '~/project · magi-term');
    program.write('\u0004');
    program.write('\u0004');
    await program.exit;
    expect(program.screen.title()).toBe('');
    expect(program.bytes()).toContain('\u001b[23;2t');
  });

  it('stays as it was where the settings say so', async () => {
    const program = await started({ title: false });
    expect(program.bytes()).not.toMatch(/\u001b\][02];/);
  });
});

describe('a sign for who looks elsewhere', () => {
  const ended = async (program: PtyProgram): Promise<string> => {
    const mark = program.mark();
    await program.type('hello');
    program.press('enter');
    await program.waitFor('prepared');
    await program.waitFor('ready');
    return program.bytesSince(mark);
  };

  it('comes when the turn ends, and only while the terminal has no focus', async () => {
    const program = await started({});
    expect(await ended(program)).not.toContain('\u0007');
    program.write('\u001b[O');
    const mark = program.mark();
    await ended(program);
    await program.waitFor(() => program.bytesSince(mark).includes('\u0007'));
    program.write('\u001b[I');
    expect(await ended(program)).not.toContain('\u0007');
  });

  it('never comes where the settings say so, and focus is not asked for', async () => {
    const program = await started({ notify: 'off' });
    program.write('\u001b[O');
    expect(await ended(program)).not.toContain('\u0007');
    expect(program.bytes()).not.toContain('\u001b[?1004h');
  });
});

describe('own keys', () => {
  it('act, and stand in the help', async () => {
    const program = await started({ keys: { 'chat.help': 'ctrl+x' } });
    await program.waitFor('Ctrl+X keys');
    program.write('\u0018');
    await program.waitFor('Show the keys');
  });

  it('that cannot be are told on the screen, and the defaults hold', async () => {
    const program = await started({ keys: { 'chat.hepl': 'f1', 'chat.help': 'crtl+x' } });
    await program.waitFor('there is no command chat.hepl');
    expect(program.screen.text()).toContain('"crtl+x" is not a key');
  });
});
