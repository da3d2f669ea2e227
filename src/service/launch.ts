/**
 * Asking for a service, starting one, stopping one: what the daemon command does (PROTOCOL.md, "Handshake").
 * Invariants: files of the endpoint are checked before connecting and never removed here; a starter that
 * loses the race finds the winner's service; no process is ever killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, lstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalStateRoot, canonicalWorkspace } from '../platform/canonical.ts';
import { endpointPaths } from '../platform/paths.ts';
import { LineFramer } from '../wire/framing.ts';
import { type HelloReply, helloReply } from '../wire/handshake.ts';
import { serviceKey } from '../wire/identity.ts';
import { parseStrict } from '../wire/json.ts';
import { LIMITS, MAX_HANDSHAKE_BYTES } from '../wire/limits.ts';
import { privateFolder } from './endpoint.ts';
import { logFolder } from './service-log.ts';

/** One line for whoever asked. */
export interface ServiceInfo {
  readonly socket: string;
  readonly state_root: string;
  readonly status: 'ready' | 'stopped';
  readonly version: string;
  readonly workspace: string;
}

export type Launch =
  | { readonly ok: true; readonly info: ServiceInfo }
  | { readonly ok: false; readonly reason: string };

export interface Where {
  readonly workspace: string;
  readonly stateRoot: string;
  /** Package version: services of another one are not spoken to. */
  readonly version: string;
}

interface Target {
  readonly workspace: string;
  readonly stateRoot: string;
  readonly version: string;
  readonly directory: string;
  readonly socket: string;
  readonly key: string;
}

type Answer =
  | { readonly kind: 'reply'; readonly reply: HelloReply }
  /** Nobody is there. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'trouble'; readonly reason: string };

const READY_MS = 15_000;
const POLL_MS = 50;
/** After the started process has ended: time for the winner of a race to become ready. */
const LOSER_PATIENCE_MS = 2_000;

export async function serviceAction(where: Where & { readonly action: 'status' | 'stop' }): Promise<Launch> {
  const target = targetOf(where);
  if (typeof target === 'string') return { ok: false, reason: target };
  const answer = await ask(target, where.action);
  if (answer.kind === 'absent') return { ok: false, reason: 'No service is running for this folder.' };
  return judge(target, answer);
}

/** Returns when a service is ready: the one that was there, or one that `command` has become. */
export async function startOrConnect(
  where: Where & { readonly command: readonly string[] },
): Promise<Launch> {
  const target = targetOf(where);
  if (typeof target === 'string') return { ok: false, reason: target };
  const first = await ask(target, 'status');
  if (first.kind !== 'absent') return judge(target, first);
  let errors: string;
  try {
    errors = join(logFolder(target.stateRoot), `start-${target.key.slice(0, 8)}-${process.pid}.txt`);
  } catch (error) {
    return { ok: false, reason: `The state folder ${target.stateRoot} cannot be written: ${String(error)}` };
  }
  try {
    return await waitUntilReady(target, launch(target, where.command, errors), errors);
  } finally {
    rmSync(errors, { force: true });
  }
}

function targetOf({ stateRoot, version, workspace }: Where): Target | string {
  const folder = canonicalWorkspace(workspace);
  if (!folder.ok) return folder.reason;
  const state = canonicalStateRoot(stateRoot);
  if (!state.ok) return state.reason;
  const key = serviceKey(folder.path, state.path);
  const { directory, socket } = endpointPaths(key);
  return { workspace: folder.path, stateRoot: state.path, version, directory, socket, key };
}

function launch({ workspace }: Target, command: readonly string[], errors: string): ChildProcess {
  const [executable = process.execPath, ...args] = command;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const descriptor = openSync(errors, flags, 0o600);
  try {
    const stdio = ['ignore', 'ignore', descriptor] as const;
    return spawn(executable, args, { cwd: workspace, detached: true, stdio: [...stdio] });
  } finally {
    closeSync(descriptor);
  }
}

async function waitUntilReady(target: Target, child: ChildProcess, errors: string): Promise<Launch> {
  let deadline = Date.now() + READY_MS;
  let failure: string | null = null;
  const ended = (why: string): void => {
    failure ??= why;
    deadline = Math.min(deadline, Date.now() + LOSER_PATIENCE_MS);
  };
  child.once('error', (error) => ended(`The service could not be started: ${error.message}`));
  child.once('exit', (code, signal) =>
    ended(`The service ended at once (${signal ?? `exit code ${code}`}).`),
  );
  while (Date.now() < deadline) {
    const answer = await ask(target, 'status');
    if (answer.kind === 'reply') {
      child.removeAllListeners();
      child.unref();
      return judge(target, answer);
    }
    await sleep(POLL_MS);
  }
  child.removeAllListeners();
  child.unref();
  const said = lastLine(errors);
  return { ok: false, reason: said ?? failure ?? 'The service did not become ready within 15 seconds.' };
}

function lastLine(file: string): string | null {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.findLast((line) => line.trim() !== '')?.trim() ?? null;
  } catch {
    return null;
  }
}

function judge(target: Target, answer: Exclude<Answer, { kind: 'absent' }>): Launch {
  if (answer.kind === 'trouble') return { ok: false, reason: answer.reason };
  const { status, version } = answer.reply;
  if (status === 'busy')
    return { ok: false, reason: 'The service is busy or somebody is connected; nothing was stopped.' };
  if (status === 'incompatible')
    return {
      ok: false,
      reason: `A service of version ${version} is running; stop it with that version when it is idle.`,
    };
  const { socket, stateRoot: state_root, workspace } = target;
  return { ok: true, info: { socket, state_root, status, version, workspace } };
}

async function ask(target: Target, action: 'status' | 'stop'): Promise<Answer> {
  const refusal = checkEndpoint(target);
  return refusal ?? exchange(target, action);
}

function checkEndpoint({ directory, socket }: Target): Answer | null {
  const problem = privateFolder(directory);
  if (problem !== null) return { kind: 'trouble', reason: problem };
  const stats = lstatSync(socket, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: 'absent' };
  if (!stats.isSocket()) return { kind: 'trouble', reason: `${socket} is in the way: it is not a socket.` };
  if (stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0) return null;
  return { kind: 'trouble', reason: `The socket ${socket} is not private to this user.` };
}

function exchange(target: Target, action: 'status' | 'stop'): Promise<Answer> {
  const { stateRoot: state_root, version, workspace } = target;
  return new Promise((resolve) => {
    const framer = new LineFramer(MAX_HANDSHAKE_BYTES);
    const socket = connect(target.socket);
    const finish = (answer: Answer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(LIMITS.handshake_timeout_ms, () =>
      finish({ kind: 'trouble', reason: 'The service does not answer.' }),
    );
    socket.on('connect', () => {
      socket.write(`${JSON.stringify({ version, workspace, state_root, action })}\n`);
    });
    socket.on('data', (chunk: Buffer) => {
      const frame = framer.push(chunk)[0];
      if (frame !== undefined) finish(frame.kind === 'line' ? readReply(frame.bytes, target) : garbled());
    });
    socket.on('error', () => finish({ kind: 'absent' }));
    socket.on('close', () => finish({ kind: 'absent' }));
  });
}

function readReply(line: Uint8Array, { stateRoot, workspace }: Target): Answer {
  const parsed = parseStrict(line);
  const reply = helloReply.safeParse(parsed.ok ? parsed.value : null);
  if (!reply.success || reply.data.workspace !== workspace || reply.data.state_root !== stateRoot)
    return garbled();
  return { kind: 'reply', reply: reply.data };
}

function garbled(): Answer {
  return { kind: 'trouble', reason: 'Whatever answers at the socket is not this service.' };
}
