import { afterEach, describe, expect, it } from 'vitest';
import { type PtyOptions, type PtyProgram, startPty } from './pty.ts';

const started: PtyProgram[] = [];

function run(script: string, options: Partial<PtyOptions> = {}): PtyProgram {
  const program = startPty({ command: process.execPath, args: ['--eval', script], ...options });
  started.push(program);
  return program;
}

afterEach(async () => {
  for (const program of started.splice(0)) await program.dispose();
});

/** Shows what is typed, as JSON, one row per read; ends at `q`. */
const ECHO = `
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes) => {
    if (String(bytes) === 'q') process.exit(3);
    process.stdout.write(JSON.stringify(String(bytes)) + '\\n');
  });
  process.stdout.write('ready\\n');
`;

describe('startPty', () => {
  it('shows cells, colours, the cursor, and the exit', async () => {
    const program = run(
      `process.stdout.write('a\\x1b[1;31mb\\x1b[0;2m漢\\x1b[0m\\x1b[7mc\\x1b[0m\\r\\n\\x1b[?25lnext')`,
    );
    expect(await program.exit).toEqual({ code: 0, signal: null });
    const { screen } = program;
    expect(screen.rows().slice(0, 3)).toEqual(['ab漢c', 'next', '']);
    expect(screen.cell(1, 0)).toMatchObject({ text: 'b', bold: true, dim: false, foreground: 1 });
    expect(screen.cell(2, 0)).toMatchObject({ text: '漢', width: 2, dim: true, foreground: 'default' });
    expect(screen.cell(4, 0)).toMatchObject({ text: 'c', inverse: true });
    expect(screen.cursor()).toEqual({ x: 4, y: 1, visible: false });
    expect(program.bytes()).toContain('\u001b[?25l');
  });

  it('measures joined emoji as one character', async () => {
    const program = run(`process.stdout.write('\\u{1f44d}\\u{1f3fd}|\\u27a1\\ufe0f|')`);
    await program.exit;
    expect(program.screen.cursor().x).toBe(6);
  });

  it('gives a fixed environment', async () => {
    const program = run(
      `console.log(JSON.stringify([process.env.CI, process.env.TERM, process.env.VITEST, process.env.X]))`,
      {
        env: { X: 'y' },
      },
    );
    await program.exit;
    expect(program.screen.text()).toBe('["false","xterm-256color",null,"y"]');
  });

  it('types, presses, pastes, and tells the bytes since a mark', async () => {
    const program = run(ECHO);
    await program.waitFor('ready');
    await program.type('hé');
    program.press('up');
    await program.waitFor('[A"');
    const mark = program.mark();
    program.paste('one');
    await program.waitFor(/"one"/);
    expect(program.bytesSince(mark)).toBe('"one"\r\n');
    expect(program.screen.rows().slice(1, 5)).toEqual(['"h"', '"é"', '"\\u001b[A"', '"one"']);
    program.write('q');
    expect(await program.exit).toEqual({ code: 3, signal: null });
  });

  it.each([
    ['device attributes', '\\x1b[c', '[?1;2c'],
    ['the cursor', '\\x1b[6n', '[1;1R'],
    ['the background', '\\x1b]11;?\\x1b\\\\', ']11;rgb:1010/1414/1818'],
    ['key reports', '\\x1b[>1u\\x1b[?u', '[?1u'],
  ])('answers the question for %s', async (_name, question, answer) => {
    const program = run(`${ECHO.replace('ready\\n', question)}`, { kittyKeyboard: 'supported' });
    await program.waitFor(answer);
  });

  it('follows the size', async () => {
    const program = run(
      `const show = () => process.stdout.write(process.stdout.columns + 'x' + process.stdout.rows + '\\r\\n');
       process.stdout.on('resize', show); show(); setInterval(() => {}, 1000)`,
      { cols: 40, rows: 10 },
    );
    await program.waitFor('40x10');
    program.resize(100, 30);
    await program.waitFor('100x30');
  });

  it('knows the alternate screen, modes, title and clipboard', async () => {
    const program = run(
      `process.stdout.write('normal\\x1b[?1049h\\x1b[?2004h\\x1b]0;name\\x07\\x1b]52;c;aGk=\\x07alt'); setInterval(() => {}, 1000)`,
    );
    await program.waitFor('alt');
    expect(program.isAlternate()).toBe(true);
    expect(program.screen.text()).not.toContain('normal');
    expect(program.screen.normalText()).toBe('normal');
    expect(program.screen.modes()).toMatchObject({ alternate: true, bracketedPaste: true, mouse: false });
    expect([program.screen.title(), program.screen.clipboard()]).toEqual(['name', 'hi']);
  });

  it('tells the signal that ended a program', async () => {
    const program = run(`setInterval(() => {}, 1000); process.stdout.write('up')`);
    await program.waitFor('up');
    program.kill('SIGKILL');
    expect(await program.exit).toEqual({ code: 0, signal: 9 });
  });

  it('fails a wait with the screen in the message', async () => {
    const program = run(`process.stdout.write('what is there'); setInterval(() => {}, 1000)`);
    await program.waitFor('there');
    await expect(program.waitFor('something else', { timeoutMs: 50 })).rejects.toThrow(
      /not within 50 ms.*\nwhat is there/,
    );
    program.kill('SIGKILL');
    await expect(program.waitFor('something else')).rejects.toThrow(/the program ended/);
  });
});
