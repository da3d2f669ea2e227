/** A command does not outlive the process that started it, and never meets what sees to that. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { bashTool } from '../../../src/agent/tools/bash.ts';
import { signalGroup } from '../../../src/agent/tools/process-group.ts';
import { eventually, isAlive, runTool, tempFolder } from '../support.ts';

const CHILD = new URL('./bash-child.ts', import.meta.url).pathname;
const STUBBORN = "trap '' TERM HUP INT; (trap '' TERM HUP; sleep 600) & echo $$ $! > pids; wait";

/** The number of a process that is alive, and what /proc says about it. */
async function statusOf(pid: string): Promise<string> {
  return readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
}

/** Processes whose parent is this one, dead ones that nobody took note of included. */
async function childrenOf(parent: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await statusOf(pid)).match(/^PPid:\s+(\d+)$/m)?.[1] === `${parent}` ? [pid] : [],
    ),
  );
  return found.flat();
}

/** The pipes that a process has open. */
async function pipesOf(pid: string): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const targets = descriptors.map((descriptor) => readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''));
  return (await Promise.all(targets)).filter((target) => /^(pipe|socket):/.test(target));
}

/** A process that runs a command; the result are the numbers that the command told. */
async function running(folder: string, command: string): Promise<{ host: ChildProcess; pids: string[] }> {
  const host = spawn(process.execPath, [CHILD, folder, command], { stdio: 'ignore' });
  onTestFinished(() => void host.kill('SIGKILL'));
  const pids = await eventually(async () => {
    const text = await readFile(join(folder, 'pids'), 'utf8');
    expect(text).toMatch(/\n$/);
    return text.trim().split(' ');
  });
  onTestFinished(() => void signalGroup(Number(pids[0]), 'SIGKILL'));
  return { host, pids };
}

test('kill -9 of the process takes with it a command that ignores signals, and what it started', async () => {
  const { host, pids } = await running(await tempFolder(), STUBBORN);
  for (const pid of pids) expect(isAlive(await statusOf(pid))).toBe(true);
  const [watcher] = (await childrenOf(host.pid ?? 0)).filter((pid) => !pids.includes(pid));
  expect(watcher).toBeDefined();
  host.kill('SIGKILL');
  await once(host, 'exit');
  for (const pid of [...pids, watcher ?? ''])
    await eventually(async () => expect(isAlive(await statusOf(pid))).toBe(false));
});

/** Processes that stand in a folder. */
async function standingIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return place === folder ? [pid] : [];
    }),
  );
  return found.flat();
}

test('kill -9 at the very start of a command leaves nothing of it, either', async () => {
  for (let round = 0; round < 8; round += 1) {
    const folder = await tempFolder();
    onTestFinished(async () => {
      for (const pid of await standingIn(folder)) process.kill(Number(pid), 'SIGKILL');
    });
    const host = spawn(process.execPath, [CHILD, folder, STUBBORN], { stdio: 'ignore' });
    onTestFinished(() => void host.kill('SIGKILL'));
    // As early as it can be seen: it may not be watched yet.
    while ((await standingIn(folder)).length === 0) await setImmediate();
    host.kill('SIGKILL');
    await once(host, 'exit');
    await eventually(async () => expect(await standingIn(folder)).toEqual([]));
  }
});

test('other groups of the same process are left alone when a command ends', async () => {
  const folder = await tempFolder();
  const { pids } = await running(folder, STUBBORN);
  expect(await runTool(bashTool, await tempFolder(), { command: 'echo a' })).toMatchObject({ output: 'a\n' });
  for (const pid of pids) expect(isAlive(await statusOf(pid))).toBe(true);
});

test('a command has no pipe but for its output, sees its own children, and no word of the watcher', async () => {
  const { pids } = await running(await tempFolder(), 'sleep 600 & echo $$ $! > pids; wait');
  const [shell = '', ...started] = pids;
  const inherited = await pipesOf('self');
  const open = await pipesOf(shell);
  expect(open.filter((pipe) => !inherited.includes(pipe))).toHaveLength(2);
  expect(await childrenOf(Number(shell))).toEqual(started);
  const environment = (await readFile(`/proc/${shell}/environ`, 'utf8'))
    .split('\0')
    .filter((item) => item !== '');
  const more = environment
    .map((item) => item.split('=', 1)[0] ?? '')
    .filter((name) => !(name in process.env));
  expect(['GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'PAGER', 'TERM']).toEqual(expect.arrayContaining(more));
});

test('nothing is left behind by commands that end', async () => {
  const folder = await tempFolder();
  const before = await childrenOf(process.pid);
  for (const command of ['true', 'exit 3', 'sleep 60 & true', 'kill -9 $$'])
    await runTool(bashTool, folder, { command });
  const missing = join(folder, 'missing');
  expect(await runTool(bashTool, missing, { command: 'true' })).toMatchObject({ status: 'error' });
  await eventually(async () => {
    const after = await childrenOf(process.pid);
    expect(after.filter((pid) => !before.includes(pid))).toEqual([]);
  });
});
