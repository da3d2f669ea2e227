/** Nothing is left behind, however the program ends. The guard itself is checked in test/platform/terminal.test.ts and terminal-guard-pty.test.ts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { AppHome } from '../../support/app.ts';
import { FIELD_TIMEOUT, FieldStage, isUnlinked, PATIENCE, say } from '../../support/field-stage.ts';
import { type PtyProgram, startPty } from '../../support/pty.ts';

const stage = new FieldStage();

const ROOT = resolve(import.meta.dirname, '../../..');
const BIN = join(ROOT, 'bin/magi-term.js');
const GIVEN_BACK = {
  alternate: false,
  bracketedPaste: false,
  focusReports: false,
  mouse: false,
  kittyDepth: 0,
};
/** What a shell says of its terminal when a program has ended: its code, and whether lines are edited and echoed. */
const SHELL = '"$@"; code=$?; echo "code=$code"; stty -a; exit $code';

/** The program as a shell runs it. */
async function underShell(): Promise<{ program: PtyProgram; user: AppHome }> {
  const { user } = await stage.answered(() => [{ text: 'Heard it.' }]);
  const program = startPty({
    command: '/bin/sh',
    args: ['-c', SHELL, 'sh', process.execPath, BIN],
    cwd: user.workspace,
    cols: 100,
    rows: 30,
    env: { HOME: user.root, MAGI_TERM_HOME: user.state },
    kittyKeyboard: 'supported',
  });
  stage.atEnd(() => program.dispose());
  await program.waitFor('ready', PATIENCE);
  return { program, user };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

/** Every process that can be seen. */
function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const [, parent, , session] = (
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1) ?? ''
      ).split(' ');
      return [{ pid, parent: Number(parent), session: Number(session) }];
    } catch {
      return [];
    }
  });
}

function childOf({ pid }: PtyProgram): number {
  const child = processes().find(({ parent }) => parent === pid);
  if (child === undefined) throw new Error('no child');
  return child.pid;
}

/** The terminal is as it was: modes, cursor, edited and echoed lines; nobody of the terminal's session is left. */
async function expectGivenBack(program: PtyProgram, code: number): Promise<void> {
  expect(await program.exit).toEqual({ code, signal: null });
  const { screen } = program;
  expect(screen.modes()).toEqual(GIVEN_BACK);
  expect(screen.cursor().visible).toBe(true);
  expect(screen.normalText()).toContain(`code=${code}`);
  expect(screen.normalText()).toMatch(/[^-]icanon\b/);
  expect(screen.normalText()).toMatch(/[^-]echo\b/);
  expect(processes().filter(({ session }) => session === program.pid)).toEqual([]);
}

describe.skipIf(process.platform !== 'linux')('FC-11 nothing left behind', FIELD_TIMEOUT, () => {
  it('(a) its quit key: only the way to come back stands on the normal screen', async () => {
    const { program } = await underShell();
    expect(program.screen.modes()).toEqual({
      ...GIVEN_BACK,
      alternate: true,
      bracketedPaste: true,
      focusReports: true,
      kittyDepth: 1,
    });
    await say(program, 'hello');
    await program.waitFor('Heard it.', PATIENCE);
    await program.waitFor('ready', PATIENCE);
    program.press('ctrl+d');
    await expectGivenBack(program, 0);
    expect(program.screen.normalText()).toContain('--session');
    expect(program.screen.normalText()).not.toContain('Heard it.');
    expect(program.screen.title()).toBe('');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '(b, c, d) %s: the reason stands on the normal screen',
    async (signal) => {
      const { program } = await underShell();
      process.kill(childOf(program), signal);
      await expectGivenBack(program, 128 + constants.signals[signal]);
      if (signal !== 'SIGHUP') expect(program.screen.normalText()).toContain(signal);
    },
  );

  it('(d) the terminal is closed: the program ends by itself', async () => {
    const { user } = await stage.answered(() => [{ text: 'Heard it.' }]);
    const program = await stage.ready(user);
    program.hangUp();
    expect(await program.exit).toMatchObject({ code: 128 + constants.signals.SIGHUP });
    expect(processes().filter(({ pid, session }) => pid === program.pid || session === program.pid)).toEqual(
      [],
    );
  });

  it('(g) the peer dies: it is told, keys work, and leaving is clean', async () => {
    const { user, service, joining } = await stage.staged();
    const program = await stage.ready(user, { args: joining });
    await service.hangUp();
    await program.waitFor(isUnlinked, PATIENCE);
    await program.type('still here');
    await program.waitFor('› still here', PATIENCE);
    program.press('ctrl+c');
    await program.waitFor('again to leave', PATIENCE);
    await program.waitForQuiet(50);
    program.press('ctrl+c');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.screen.modes()).toEqual(GIVEN_BACK);
    expect(program.screen.cursor().visible).toBe(true);
  });

  it('(h) kill -9: the README names the command that resets the terminal, and the next start is clean', async () => {
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toMatch(/kill -9[\s\S]{0,80}`reset`/);
    const { user } = await stage.answered(() => [{ text: 'Heard it.' }]);
    const killed = await stage.ready(user);
    await killed.type('half a thought');
    await killed.waitFor('half a thought', PATIENCE);
    killed.kill('SIGKILL');
    await killed.exit;
    const next = await stage.ready(user);
    await next.waitFor((screen) => screen.cursor().visible, PATIENCE);
    next.press('ctrl+c');
    await next.waitFor('again to leave', PATIENCE);
    await next.waitForQuiet(50);
    next.press('ctrl+c');
    expect(await next.exit).toEqual({ code: 0, signal: null });
    expect(next.screen.modes()).toEqual(GIVEN_BACK);
  });
});

/** The interface over a conversation that does nothing, then `fault`. */
const program = (fault: string): string => `
  import { INITIAL } from './src/store/state.ts';
  import { Store } from './src/store/store.ts';
  import { runInterface } from './src/ui/run.tsx';
  import { Preferences } from './src/ui/settings/preferences.ts';
  const store = new Store(INITIAL, (run) => setTimeout(run, 0));
  const conversation = { readDraftFrom() {}, takeReturned: () => [], keepDraft() {}, pages: { follow() {} }, async close() {} };
  const prompts = { async load() { return []; }, add() {} };
  const preferences = new Preferences('/nowhere/settings.json', {});
  const abilities = { colour: 'none', links: false, dumb: false, unicode: true };
  const farewell = (state, cause) => (cause.kind === 'fault' ? 'stopped by a fault: ' + cause.error.message : null);
  const parts = { store, conversation, abilities, prompts, preferences, saveKey: null, farewell };
  runInterface({ ...parts, folder: '~', workspace: process.cwd() });
  setTimeout(() => { ${fault} }, 200);
`;

async function bundled(fault: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'magi-term-fault-'));
  stage.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'program.mjs');
  await build({
    stdin: { contents: program(fault), resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    alias: { 'react-devtools-core': join(ROOT, 'src/platform/empty.ts') },
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    logLevel: 'silent',
  });
  return outfile;
}

describe('FC-11 an unexpected fault', FIELD_TIMEOUT, () => {
  it.each([
    [
      '(e) in a component',
      "store.update((state) => ({ ...state, notice: { get text() { throw new Error('boom'); } } }));",
    ],
    ['(e) outside any component', "throw new Error('boom');"],
    ['(f) in a promise', "void Promise.reject(new Error('boom'));"],
  ])('%s gives the terminal back and says why', async (_name, fault) => {
    const pty = startPty({ command: process.execPath, args: [await bundled(fault)] });
    stage.atEnd(() => pty.dispose());
    await pty.waitFor('Write a message', PATIENCE);
    expect(await pty.exit).toEqual({ code: 1, signal: null });
    expect(pty.screen.modes()).toEqual(GIVEN_BACK);
    expect(pty.screen.cursor().visible).toBe(true);
    expect(pty.screen.normalText()).toContain('stopped by a fault: boom');
  });
});
