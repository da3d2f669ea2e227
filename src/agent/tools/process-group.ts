import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { createHeadTail, type HeadTail } from './bounded.ts';
import { type GroupWatcher, startGroupWatcher } from './group-watcher.ts';

/**
 * One command in a process group of its own. Invariant: when `runInGroup` is done, or this process has ended,
 * nothing of the group is left running, however it ended. (A process that starts its own session leaves the group
 * and is not ours.)
 */

/** Time between SIGTERM and SIGKILL, in ms. */
const KILL_GRACE_MS = 2000;
const FIRST_POLL_MS = 5;
const LONGEST_POLL_MS = 100;
/** Longest wait for the rest of the output once the group is gone, in ms. */
const DRAIN_MS = 1000;
const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 32 * 1024;

export interface GroupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Is told of everything that the command prints, as it comes. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface GroupResult {
  /** Null when a signal ended the command. */
  readonly exitCode: number | null;
  readonly ended: 'itself' | 'timeout' | 'abort';
  /** stdout and stderr as they came, bounded to 48 KB. */
  readonly output: HeadTail;
  /** True when background processes were still running at the end and were stopped. */
  readonly stoppedBackground: boolean;
}

/** Runs a program with closed stdin. Rejects only when no process can be started; a program that is missing exits with 127. */
export async function runInGroup(
  program: string,
  args: readonly string[],
  options: GroupOptions,
): Promise<GroupResult> {
  const watcher = startGroupWatcher();
  try {
    return await runWatched(spawnGroup(program, args, options, watcher), options);
  } finally {
    watcher.release();
  }
}

/** Waits for its word before it becomes the program: whoever could give it may be gone. */
const GATE = 'read -r _ <&3 || exit 1; exec 3<&-; exec "$@"';

/** The group does nothing before it is watched: a service that is killed in between leaves nothing behind. */
function spawnGroup(
  program: string,
  args: readonly string[],
  { cwd, env }: GroupOptions,
  watcher: GroupWatcher,
): ChildProcessByStdio<null, Readable, Readable> {
  const gated = ['-c', GATE, 'sh', program, ...args];
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn('/bin/sh', gated, { cwd, env, detached: true, stdio: [...stdio] });
  const gate = child.stdio[3] as Writable;
  // It may end before it has its word.
  gate.on('error', () => undefined);
  if (child.pid !== undefined) watcher.watch(child.pid);
  gate.end('go\n');
  return child as ChildProcessByStdio<null, Readable, Readable>;
}

async function runWatched(
  child: ChildProcessByStdio<null, Readable, Readable>,
  options: GroupOptions,
): Promise<GroupResult> {
  const output = createHeadTail(HEAD_BYTES, TAIL_BYTES);
  const take = (chunk: Buffer): void => {
    output.add(chunk);
    options.onOutput?.(chunk);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const { ended, exitCode } = await waitForExit(child, options);
  const stoppedBackground = await stopGroup(child);
  // With the group gone the pipes are at their end, unless a process that left the group holds them.
  await Promise.race([closed, delay(DRAIN_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return { exitCode, ended, output, stoppedBackground: ended === 'itself' && stoppedBackground };
}

type Exit = Pick<GroupResult, 'ended' | 'exitCode'>;

/** Waits until the command exits by itself, or until it has to be stopped. */
function waitForExit(child: ChildProcess, options: GroupOptions): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const settle = (exit: Exit): void => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      resolve(exit);
    };
    const onAbort = (): void => settle({ ended: 'abort', exitCode: null });
    const timer = setTimeout(() => settle({ ended: 'timeout', exitCode: null }), options.timeoutMs);
    options.signal.addEventListener('abort', onAbort);
    if (options.signal.aborted) onAbort();
    child.once('exit', (exitCode) => settle({ ended: 'itself', exitCode }));
    child.once('error', (error) => {
      settle({ ended: 'itself', exitCode: null });
      reject(error);
    });
  });
}

/** SIGTERM, then SIGKILL, until the group is gone. Says whether anything had to be stopped. */
export async function stopGroup(child: ChildProcess): Promise<boolean> {
  const { pid } = child;
  if (pid === undefined || !signalGroup(pid, 'SIGTERM')) return false;
  const deadline = performance.now() + KILL_GRACE_MS;
  let pause = FIRST_POLL_MS;
  while (performance.now() < deadline) {
    await delay(pause);
    if (!(await isGroupRunning(pid))) return true;
    pause = Math.min(pause * 2, LONGEST_POLL_MS);
  }
  signalGroup(pid, 'SIGKILL');
  return true;
}

/** False when the group has no member left. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Dead members that nobody has reaped (common in containers) still answer signals: /proc tells them apart. */
async function isGroupRunning(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  if (process.platform !== 'linux') return true;
  const entries = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/u.test(name));
  if (entries.length === 0) return true;
  const stats = await Promise.all(
    entries.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.some((stat) => {
    // pid (name) state parent group …: the name may hold anything, so read from its last bracket.
    const [state, , memberGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return memberGroup === String(group) && state !== 'Z' && state !== 'X';
  });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
