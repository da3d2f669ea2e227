/**
 * The private folder, the lifetime lock and the socket in it (PROTOCOL.md, "Endpoint").
 * Invariants: the lock is held from before the socket exists until after it is gone, and is the only licence
 * to remove one; a socket is removed only when nobody answers behind it.
 */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { acquireLock, type Lock, LockError } from '../../platform/lock.ts';
import { type EndpointPaths, endpointPaths } from '../../platform/paths.ts';
import { serviceKey } from '../../wire/identity.ts';

export type Endpoint =
  | { readonly ok: true; readonly socket: string; readonly lock: Lock }
  | { readonly ok: false; readonly reason: string };

/** Takes the lock, clears a stale socket and makes `server` listen. */
export async function openEndpoint(workspace: string, stateRoot: string, server: Server): Promise<Endpoint> {
  const paths = endpointPaths(serviceKey(workspace, stateRoot));
  const refusal = privateFolder(paths.directory);
  if (refusal !== null) return { ok: false, reason: refusal };
  const lock = takeLock(paths.lock);
  if (typeof lock === 'string') return { ok: false, reason: lock };
  const problem = (await clearSocket(paths.socket)) ?? (await bind(server, paths));
  if (problem === null) return { ok: true, socket: paths.socket, lock };
  lock.release();
  return { ok: false, reason: problem };
}

/** Null when the folder is a real one, mine, and closed to everybody else; otherwise what is wrong. */
export function privateFolder(directory: string): string | null {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return `The folder ${directory} cannot be created: ${codeOf(error)}.`;
  }
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return `${directory} is not a real folder: remove it and try again.`;
  if (stats.uid !== process.geteuid?.()) return `The folder ${directory} belongs to another user.`;
  if ((stats.mode & 0o077) === 0) return null;
  return `The folder ${directory} is open to other users: run chmod 700 on it.`;
}

function takeLock(path: string): Lock | string {
  try {
    return acquireLock(path) ?? 'The service is already starting or running for this folder.';
  } catch (error) {
    if (error instanceof LockError) return error.message;
    throw error;
  }
}

async function clearSocket(path: string): Promise<string | null> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isSocket()) return `${path} is in the way: it is not a socket. Move it away and try again.`;
  const answer = await knock(path);
  if (answer === 'ENOENT') return null;
  if (answer === null) return `Somebody else answers at ${path}.`;
  if (answer !== 'ECONNREFUSED') return `The socket ${path} cannot be used: ${answer}.`;
  unlinkSync(path);
  return null;
}

/** Null when somebody answers, otherwise the error code. */
function knock(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(null);
    });
    socket.once('error', (error) => resolve(codeOf(error)));
  });
}

/** The file is created inside `listen`, before it returns: the mask covers that moment, the mode what follows. */
function bind(server: Server, paths: EndpointPaths): Promise<string | null> {
  return new Promise((resolve) => {
    const failed = (error: Error): void => resolve(`${paths.socket} cannot be opened: ${codeOf(error)}.`);
    server.once('error', failed);
    const mask = process.umask(0o077);
    server.listen(paths.socket, () => {
      server.off('error', failed);
      chmodSync(paths.socket, 0o600);
      resolve(null);
    });
    process.umask(mask);
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
