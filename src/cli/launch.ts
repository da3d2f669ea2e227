/**
 * Asking for the embedded service, starting it, stopping it (PROTOCOL.md, "Handshake", "Embedded service").
 * Invariants: files of the endpoint are never removed here; a starter that loses the race finds the winner's
 * service; no process is ever killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WireFailure } from '../client/failure.ts';
import { askService } from '../client/hello.ts';
import { makeFolder } from '../platform/folder.ts';
import { endpointPaths } from '../platform/paths.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import type { HelloReply } from '../wire/handshake.ts';
import { serviceKey } from '../wire/identity.ts';

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

/** Canonical paths. */
export interface Where {
  readonly workspace: string;
  readonly stateRoot: string;
  /** Package version: services of another one are not spoken to. */
  readonly version: string;
}

/** Failures that mean that nobody is there: a start of the service can mend them. */
export const STARTABLE: readonly string[] = ['endpoint_absent', 'endpoint_stale', 'endpoint_closed'];

const READY_MS = 15_000;
const POLL_MS = 50;
/** After the started process has ended: time for the winner of a race to become ready. */
const LOSER_PATIENCE_MS = 2_000;

export async function serviceAction(where: Where & { readonly action: 'status' | 'stop' }): Promise<Launch> {
  const answer = await ask(where, where.action);
  return answer instanceof WireFailure ? refused(answer) : judge(where, answer);
}

/** Returns when a service is ready: the one that was there, or one that `command` has become. */
export async function startOrConnect(
  where: Where & { readonly command: readonly string[] },
): Promise<Launch> {
  const first = await ask(where, 'status');
  if (!(first instanceof WireFailure)) return judge(where, first);
  if (!STARTABLE.includes(first.code)) return refused(first);
  const key = serviceKey(where.workspace, where.stateRoot);
  const logs = join(where.stateRoot, 'logs');
  const errors = join(logs, `start-${key.slice(0, 8)}-${process.pid}.txt`);
  let child: ChildProcess;
  try {
    makeFolder(logs);
    child = launch(where.workspace, where.command, errors);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `The state folder ${where.stateRoot} cannot be written: ${reason}.` };
  }
  try {
    return await waitUntilReady(where, child, errors);
  } finally {
    rmSync(errors, { force: true });
  }
}

function launch(cwd: string, command: readonly string[], errors: string): ChildProcess {
  const [executable = process.execPath, ...args] = command;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const descriptor = openSync(errors, flags, 0o600);
  try {
    return spawn(executable, args, { cwd, detached: true, stdio: ['ignore', 'ignore', descriptor] });
  } finally {
    closeSync(descriptor);
  }
}

async function waitUntilReady(where: Where, child: ChildProcess, errors: string): Promise<Launch> {
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
  let answer = await ask(where, 'status');
  while (answer instanceof WireFailure && Date.now() < deadline) {
    await sleep(POLL_MS);
    answer = await ask(where, 'status');
  }
  child.removeAllListeners();
  child.unref();
  if (!(answer instanceof WireFailure)) return judge(where, answer);
  if (!STARTABLE.includes(answer.code)) return refused(answer);
  const said = lastLine(errors) ?? failure ?? 'The service did not become ready within 15 seconds.';
  return { ok: false, reason: said };
}

function lastLine(file: string): string | null {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const last = lines.findLast((line) => line.trim() !== '');
    return last === undefined ? null : sanitiseLine(last.trim());
  } catch {
    return null;
  }
}

function refused({ sentence, next }: WireFailure): Launch {
  return { ok: false, reason: `${sentence} ${next}` };
}

function judge({ stateRoot, workspace }: Where, { status, version }: HelloReply): Launch {
  switch (status) {
    case 'busy':
      return { ok: false, reason: 'The service is busy or somebody is connected; nothing was stopped.' };
    case 'incompatible': {
      const theirs = sanitiseLine(version);
      const reason = `A service of version ${theirs} is running; stop it with that version when it is idle.`;
      return { ok: false, reason };
    }
    case 'ready':
    case 'stopped': {
      const { socket } = endpointPaths(serviceKey(workspace, stateRoot));
      return { ok: true, info: { socket, state_root: stateRoot, status, version, workspace } };
    }
  }
}

async function ask(
  { stateRoot, version, workspace }: Where,
  action: 'status' | 'stop',
): Promise<HelloReply | WireFailure> {
  const { directory, socket } = endpointPaths(serviceKey(workspace, stateRoot));
  try {
    return await askService({ directory, socket, identity: { workspace, stateRoot }, version }, action);
  } catch (error) {
    if (error instanceof WireFailure) return error;
    throw error;
  }
}
