import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { fixedInside, isWithin, waysOut } from '../../src/agent/sandbox/paths.ts';
import { findSandbox, sandboxKind } from '../../src/agent/sandbox/sandbox.ts';
import { seatbelt } from '../../src/agent/sandbox/seatbelt.ts';
import { bashTool } from '../../src/agent/tools/bash.ts';
import {
  askingTheTest,
  eventsOf,
  eventually,
  isAlive,
  modelServer,
  ofType,
  permitting,
  runTool,
  tempFolder,
  turnRequest,
} from './support.ts';

const isLinux = process.platform === 'linux';

/** Notes its arguments, one run a line, then runs what comes behind `--`; a word in the script makes it fail. */
const FAKE_BWRAP = `#!/bin/sh
printf '%s\\t' "$@" >> "$(dirname "$0")/runs"
echo >> "$(dirname "$0")/runs"
test -e "$(dirname "$0")/broken" && { echo 'bwrap: No permissions' >&2; exit 1; }
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`;

/** A folder with a `bwrap` that only looks like one. */
async function fakeBwrap() {
  const bin = await tempFolder();
  const program = join(bin, 'bwrap');
  await writeFile(program, FAKE_BWRAP);
  await chmod(program, 0o755);
  const runs = async (): Promise<string[][]> =>
    (await readFile(join(bin, 'runs'), 'utf8'))
      .trimEnd()
      .split('\t\n')
      .map((line) => line.split('\t'));
  return { bin, env: { ...process.env, PATH: `${bin}:/usr/bin:/bin` }, runs };
}

describe.runIf(isLinux)('bubblewrap', () => {
  test('is given a world where only the workspace can be written', async () => {
    const { env, runs } = await fakeBwrap();
    const home = await tempFolder();
    await mkdir(join(home, '.ssh'));
    const workspace = await tempFolder();
    await mkdir(join(workspace, '.git/hooks'), { recursive: true });
    await writeFile(join(workspace, '.git/config'), '');
    const place = { workspace, env: { ...env, HOME: home }, platform: 'linux' } as const;
    const found = findSandbox(place);
    expect(found.kind).toBe('bubblewrap');
    const result = await runTool(
      bashTool,
      workspace,
      { command: 'echo "$TMPDIR"; pwd' },
      {
        env: place.env,
        sandbox: () => found,
      },
    );
    expect(result).toMatchObject({ status: 'ok', output: `/tmp\n${workspace}\n` });
    const [trial, run] = await runs();
    expect(trial?.slice(-3)).toEqual(['/bin/sh', '-c', ':']);
    expect(run?.slice(0, 4)).toEqual(['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL']);
    const line = run?.join(' ') ?? '';
    const order = [
      '--ro-bind / /',
      '--dev /dev',
      '--proc /proc',
      '--tmpfs /tmp',
      '--tmpfs /run',
      `--bind ${workspace} ${workspace}`,
      `--ro-bind ${workspace}/.git/hooks ${workspace}/.git/hooks`,
      `--ro-bind ${workspace}/.git/config ${workspace}/.git/config`,
      `--chdir ${workspace} -- /bin/bash -c echo "$TMPDIR"; pwd`,
    ].map((part) => line.indexOf(part));
    expect(order.every((at) => at >= 0)).toBe(true);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
    // Home is below /tmp here, so it is hidden already.
    expect(line).not.toContain('.ssh');
    expect(line).not.toContain('--share-net');
  });

  test('says so when a confined command fails', async () => {
    const { env } = await fakeBwrap();
    const workspace = await tempFolder();
    const found = findSandbox({ workspace, env, platform: 'linux' });
    const result = await runTool(bashTool, workspace, { command: 'exit 4' }, { sandbox: () => found });
    expect(result).toMatchObject({ status: 'error', exitCode: 4 });
    expect(result.output).toMatch(/\[The command ran confined: no network/u);
  });

  test('is tried once by a runtime, and asked through the whole of a turn', async () => {
    const { env, runs } = await fakeBwrap();
    const runtime = createAgentRuntime({ env, timing: { demoChunkMs: 0 } });
    const request = turnRequest(await tempFolder(), {
      prompt: 'run echo hi',
      sandbox: true,
      permit: permitting('bash'),
    });
    for (const _turn of [1, 2]) {
      const events = await eventsOf(runtime.startTurn(request));
      expect(ofType(events, 'tool-end')).toMatchObject([{ status: 'ok', output: 'hi\n' }]);
    }
    expect((await runs()).map((run) => run.at(-1))).toEqual([':', 'echo hi', 'echo hi']);
  });

  test.each(['missing', 'broken', 'unknown'] as const)(
    'without one (%s) nothing runs and nobody is asked',
    async (reason) => {
      const workspace = await tempFolder();
      const { bin, env } = await fakeBwrap();
      if (reason === 'broken') await writeFile(join(bin, 'broken'), '');
      const found = findSandbox({
        workspace,
        env: reason === 'missing' ? { PATH: '/nowhere' } : env,
        platform: reason === 'unknown' ? 'win32' : 'linux',
      });
      expect(found).toEqual({ kind: null, reason });
      const { asked, permit } = askingTheTest();
      const changes = { permit, sandbox: () => found };
      const result = await runTool(bashTool, workspace, { command: 'touch made' }, changes);
      expect(result).toMatchObject({
        status: 'denied',
        output: expect.stringMatching(/^Not allowed: commands must run confined here, but/u),
        notice: expect.stringMatching(/^bash must run confined here, but .*switch the sandbox off\.$/u),
      });
      expect(asked).toEqual([]);
      await expect(readFile(join(workspace, 'made'))).rejects.toThrow('ENOENT');
    },
  );

  test('is never taken from the workspace, nor from a relative path', async () => {
    const { bin, env } = await fakeBwrap();
    const linked = await tempFolder();
    await symlink(join(bin, 'bwrap'), join(linked, 'bwrap'));
    expect(sandboxKind(await tempFolder(), env)).toBe('bubblewrap');
    expect(sandboxKind(bin, env)).toBeNull();
    expect(sandboxKind(bin, { PATH: linked })).toBeNull();
    expect(sandboxKind(await tempFolder(), { PATH: '.:bin:' })).toBeNull();
  });
});

test('sandbox-exec is given a profile whose paths stand outside of it', async () => {
  const workspace = await tempFolder();
  const home = await tempFolder();
  await mkdir(join(workspace, '.git/hooks'), { recursive: true });
  await mkdir(join(home, '.ssh'));
  const env = { HOME: home };
  const command = seatbelt('/usr/bin/sandbox-exec', { workspace, env, platform: 'darwin' })('/bin/sh', 'ls');
  const temp = command.env.TMPDIR ?? '';
  expect(command.args.slice(-3)).toEqual(['/bin/sh', '-c', 'ls']);
  const defines = command.args.filter((_arg, index) => command.args[index - 1] === '-D');
  expect(defines).toEqual(
    expect.arrayContaining([
      `WORKSPACE=${workspace}`,
      `TEMP=${temp}`,
      `FIXED_0=${workspace}/.git/hooks`,
      expect.stringMatching(/^HIDDEN_\d+=.*\/\.ssh$/u),
    ]),
  );
  const profile = command.args[command.args.indexOf('-p') + 1] ?? '';
  expect(profile).toMatch(/^\(version 1\)\n\(deny default\)/u);
  expect(profile).not.toContain(workspace);
  expect(profile).not.toContain('network');
  expect(profile.indexOf('FIXED_0')).toBeGreaterThan(profile.indexOf('WORKSPACE'));
  await writeFile(join(temp, 'x'), '');
  command.release();
  await expect(readFile(join(temp, 'x'))).rejects.toThrow('ENOENT');
});

test('the ways out and the fixed places are real and there', async () => {
  const home = await tempFolder();
  await mkdir(join(home, '.config/magi-term'), { recursive: true });
  await mkdir(join(home, '.docker'));
  await writeFile(join(home, '.gnupg'), 'a file');
  expect(waysOut({ HOME: home })).toContain(join(home, '.docker'));
  expect(waysOut({ HOME: home })).not.toContain(join(home, '.gnupg'));
  expect(fixedInside(home, { HOME: home })).toEqual([join(home, '.config/magi-term')]);
  expect(fixedInside(join(home, '.docker'), { HOME: home })).toEqual([]);
  expect(isWithin('/a/bc', '/a/b')).toBe(false);
  expect(isWithin('/a/b', '/')).toBe(true);
});

const works = isLinux && sandboxKind(process.cwd()) === 'bubblewrap';
if (isLinux && !works) console.warn('bubblewrap does not work here: its real runs are skipped');

describe.runIf(works)('a real confined command', () => {
  async function run(command: string, changes = {}) {
    const workspace = await tempFolder();
    const found = findSandbox({ workspace, env: process.env, platform: 'linux' });
    const result = await runTool(bashTool, workspace, { command }, { sandbox: () => found, ...changes });
    return { workspace, result };
  }

  test('writes into the workspace and a private /tmp, and nowhere else', async () => {
    const outside = await tempFolder();
    const command = `echo a > made; echo b > /tmp/b && ls /tmp; touch ${outside}/x; touch /etc/x; touch ~/x-confined`;
    const { result, workspace } = await run(command);
    expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('a\n');
    expect(result.output).toMatch(/Read-only|No such file/u);
    expect(execFileSync('ls', [outside], { encoding: 'utf8' })).toBe('');
  });

  test('sees no network and no other process', async () => {
    const server = await modelServer({ script: () => [] });
    const { port } = new URL(server.url);
    const connect = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo connected || echo refused`;
    expect((await run(connect, { sandbox: null })).result.output).toBe('connected\n');
    const { result } = await run(`${connect}; grep -c : /proc/net/dev; ls /proc | grep -c '^[0-9]'`);
    const [connected, interfaces, processes] = result.output.trim().split('\n');
    expect([connected, interfaces]).toEqual(['refused', '1']);
    expect(Number(processes)).toBeLessThan(8);
  });

  test('finds the sockets and the rules of the program closed', async () => {
    const workspace = await tempFolder();
    await mkdir(join(workspace, '.git/hooks'), { recursive: true });
    const found = findSandbox({ workspace, env: process.env, platform: 'linux' });
    const command = 'ls -A /run /tmp; touch .git/hooks/post-commit; touch .git/other && echo made';
    const result = await runTool(bashTool, workspace, { command }, { sandbox: () => found });
    expect(result.output).toMatch(/Read-only file system\nmade\n$/u);
    expect(result.output).not.toMatch(/magi-term-\d/u);
  });

  test('ends with the turn', async () => {
    const controller = new AbortController();
    const workspace = await tempFolder();
    const found = findSandbox({ workspace, env: process.env, platform: 'linux' });
    const done = runTool(
      bashTool,
      workspace,
      { command: 'touch started; sleep 1234567' },
      { sandbox: () => found, signal: controller.signal },
    );
    await eventually(() => readFile(join(workspace, 'started')));
    controller.abort();
    expect(await done).toMatchObject({ status: 'cancelled' });
    await eventually(() => {
      const sleeping = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes('sleep 1234567') && isAlive(`State:\t${line[0]}`));
      expect(sleeping).toEqual([]);
    });
  });
});
