/** Plain surroundings. What the environment says of a terminal is read in test/platform/terminal.test.ts; lines of the screen-reader mode are made in test/ui/plain. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/platform/version.ts';
import type { AppHome } from '../../support/app.ts';
import { FIELD_TIMEOUT, FieldStage, PATIENCE, say } from '../../support/field-stage.ts';
import type { PtyProgram } from '../../support/pty.ts';
import { startPty } from '../../support/pty.ts';

const stage = new FieldStage();
const BIN = resolve(import.meta.dirname, '../../../bin/magi-term.js');
const DEMO = { provider: 'demo', model: 'demo-1' };
const COLOUR = /\u001b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/;

function environment(user: AppHome): NodeJS.ProcessEnv {
  return { ...process.env, HOME: user.root, MAGI_TERM_HOME: user.state, NO_COLOR: '' };
}

async function talked(env: Readonly<Record<string, string>>): Promise<PtyProgram> {
  const program = await stage.ready(stage.home({ settings: DEMO }), { env });
  await say(program, 'list files');
  await program.waitFor('Demo model', PATIENCE);
  await program.waitFor('ready', PATIENCE);
  return program;
}

describe('FC-25 plain surroundings: colour', FIELD_TIMEOUT, () => {
  it('NO_COLOR: no colour code in any byte, and what is selected still shows', async () => {
    const program = await talked({ NO_COLOR: '1' });
    program.press('f2');
    await program.waitFor('Sessions', PATIENCE);
    await program.waitFor(/› .*list files/, PATIENCE);
    expect(program.bytes()).not.toMatch(COLOUR);
    const row = program.screen.rows().findIndex((text) => text.startsWith(' › '));
    expect(program.screen.cell(3, row)).toMatchObject({
      bold: true,
      foreground: 'default',
      background: 'default',
    });
  });

  it('NO_COLOR that is empty counts as not set', async () => {
    expect((await talked({ NO_COLOR: '' })).bytes()).toMatch(COLOUR);
  });
});

describe('FC-25 plain surroundings: no terminal', FIELD_TIMEOUT, () => {
  const ONE_LINE = /^magi-term: [^\n]+\n$/;

  it('TERM=dumb: one line, code 2, no escape', async () => {
    const program = stage.home({ settings: DEMO }).start({ env: { TERM: 'dumb' } });
    expect(await program.exit).toEqual({ code: 2, signal: null });
    expect(program.bytes().replace('\r', '')).toMatch(ONE_LINE);
    expect(program.bytes()).not.toContain('\u001b');
  });

  it('stdin and stdout without a terminal: one line, code 2', async () => {
    const outcome = await stage.home({ settings: DEMO }).command([]);
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(outcome.stderr).not.toContain('\u001b');
  });

  it.each([
    ['stdin', '"$@" </dev/null; echo "code=$?"'],
    ['stdout', '"$@" >/dev/null; echo "code=$?"'],
  ])('%s alone without a terminal: the same', async (_name, script) => {
    const user = stage.home({ settings: DEMO });
    const env = { HOME: user.root, MAGI_TERM_HOME: user.state };
    const args = ['-c', script, 'sh', process.execPath, BIN];
    const program = startPty({ command: '/bin/sh', args, cwd: user.workspace, cols: 200, env });
    stage.atEnd(() => program.dispose());
    await program.exit;
    const [line = '', code = ''] = program.screen.text().split('\n');
    expect(line).toMatch(/^magi-term: this is a full-screen program/);
    expect(code).toBe('code=2');
    expect(program.bytes()).not.toContain('\u001b');
  });
});

describe('FC-25 plain surroundings: commands in a pipe', FIELD_TIMEOUT, () => {
  it('the answer is on stdout, notices on stderr, without an escape, and a silent stdin is not waited for', async () => {
    const user = stage.home({ settings: { ...DEMO, colour: 'blue' } });
    // The command's stdin is an open pipe that nobody writes to.
    const outcome = await user.command(['config', 'get']);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toContain('demo');
    expect(outcome.stdout).not.toContain('colour');
    expect(outcome.stderr).toMatch(/unknown setting colour/);
    expect(outcome.stdout + outcome.stderr).not.toContain('\u001b');
    expect(await user.command(['rules'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('a reader who has gone ends it without a word', async () => {
    const user = stage.home({ settings: DEMO });
    const args = ['-c', '"$@" | true', 'sh', process.execPath, BIN, 'config', 'get'];
    const child = spawn('/bin/sh', args, {
      cwd: user.workspace,
      env: environment(user),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    await new Promise((done) => child.on('close', done));
    expect(errors).toBe('');
  });
});

describe('FC-25 plain surroundings: a screen reader', FIELD_TIMEOUT, () => {
  it('text is only added: no escape, no box, no spinner; a picked entry is said', async () => {
    const user = stage.home({ settings: DEMO });
    const program = user.start({ args: ['--screen-reader'] });
    await program.waitFor(/ready/i, PATIENCE);
    program.write('write NOTE.md: hello\r');
    await program.waitFor('The turn has ended.', PATIENCE);
    const earlier = program.bytes();
    program.write('/new\r');
    await program.waitFor('New session.', PATIENCE);
    program.write('/sessions\r');
    await program.waitFor(/1\. write NOTE\.md/, PATIENCE);
    const listed = program.mark();
    program.write('1\r');
    await program.waitFor(() => /1\. write NOTE\.md/.test(program.bytesSince(listed)), PATIENCE);
    await program.waitFor('Session: write NOTE.md', PATIENCE);
    program.write('/quit\r');
    expect(await program.exit).toMatchObject({ code: 0 });
    const bytes = program.bytes();
    expect(bytes.startsWith(earlier)).toBe(true);
    expect(bytes).not.toContain('\u001b');
    expect(bytes).not.toMatch(/[─-╿▀-▟◐◓◑◒⠀-⣿]/u);
    // A carriage return alone would write over what was said.
    expect(bytes).not.toMatch(/\r(?!\n)/);
  });

  it('it works with TERM=dumb too', async () => {
    const program = stage
      .home({ settings: DEMO })
      .start({ args: ['--screen-reader'], env: { TERM: 'dumb' } });
    await program.waitFor(/ready/i, PATIENCE);
    program.write('/quit\r');
    expect(await program.exit).toMatchObject({ code: 0 });
  });
});

describe('FC-25 plain surroundings: settings and version', FIELD_TIMEOUT, () => {
  it('a broken settings file is named with line and reason, and not rewritten', async () => {
    const user = stage.home();
    const broken = '{\n  "provider": "demo",\n  oops\n}';
    writeFileSync(user.settingsFile, broken);
    const program = user.start({ cols: 200 });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.screen.text()).toMatch(/settings\.json:3:\d+: not valid JSON\. Mend the file/);
    expect(readFileSync(user.settingsFile, 'utf8')).toBe(broken);
  });

  it('an unknown key is a warning only', async () => {
    const user = stage.home({ settings: { ...DEMO, colour: 'blue' } });
    await stage.ready(user);
    expect(await user.command(['config', 'get', 'provider'])).toMatchObject({ code: 0, stdout: 'demo\n' });
  });

  it('the version is told at once, without a service', async () => {
    const user = stage.home({ settings: DEMO });
    const run = promisify(execFile);
    const timed = async (args: readonly string[]): Promise<number> => {
      const begun = performance.now();
      await run(process.execPath, [...args], { env: environment(user), cwd: user.workspace });
      return performance.now() - begun;
    };
    const [own, bare]: [number[], number[]] = [[], []];
    for (let tries = 0; tries < 5; tries += 1) {
      own.push(await timed([BIN, '--version']));
      bare.push(await timed(['--eval', '0']));
    }
    const median = (values: readonly number[]): number =>
      values.toSorted((left, right) => left - right)[2] ?? 0;
    console.info(
      `FC-25: version in ${Math.round(median(own))} ms, an empty program in ${Math.round(median(bare))} ms`,
    );
    expect(median(own)).toBeLessThan(8 * median(bare) + 100);
    expect(await user.command(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(existsSync(join(user.state, 'logs'))).toBe(false);
  });
});
