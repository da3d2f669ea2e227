/**
 * Is this endpoint private enough to connect to (PROTOCOL.md, "Endpoint")?
 * Runs before connecting, because Node cannot ask a socket who its peer is.
 */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { localFailure, type WireFailure } from './failure.ts';

export interface Endpoint {
  readonly directory: string;
  readonly socket: string;
}

/** `sun_path` without its closing NUL, bytes. A longer path would silently be cut by some systems. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
const GROUP_AND_OTHERS = 0o077;

/** Null when the endpoint may be connected to. A stale socket is only seen by connecting. */
export async function checkEndpoint(endpoint: Endpoint): Promise<WireFailure | null> {
  const bytes = Buffer.byteLength(endpoint.socket, 'utf8');
  if (bytes > MAX_SOCKET_PATH_BYTES)
    return localFailure(
      'endpoint_path_too_long',
      `The path of the socket has ${bytes} bytes; this system allows ${MAX_SOCKET_PATH_BYTES}.`,
    );
  const directory = await statOf(endpoint.directory);
  if ('failure' in directory) return directory.failure;
  if (directory.stats.isSymbolicLink())
    return unsafe(`${endpoint.directory} is a symbolic link, not a folder.`);
  if (!directory.stats.isDirectory()) return unsafe(`${endpoint.directory} is no folder.`);
  const open = checkOwnerAndMode(directory.stats, endpoint.directory);
  if (open !== null) return open;

  const socket = await statOf(endpoint.socket);
  if ('failure' in socket) return socket.failure;
  if (socket.stats.isSymbolicLink()) return unsafe(`${endpoint.socket} is a symbolic link, not a socket.`);
  if (!socket.stats.isSocket())
    return localFailure('endpoint_not_socket', `${endpoint.socket} is in the way: it is not a socket.`);
  return checkOwnerAndMode(socket.stats, endpoint.socket);
}

function checkOwnerAndMode(stats: Stats, path: string): WireFailure | null {
  if (stats.uid !== process.geteuid?.()) return unsafe(`${path} belongs to another user.`);
  if ((stats.mode & GROUP_AND_OTHERS) !== 0) return unsafe(`Other users may open ${path}.`);
  return null;
}

async function statOf(path: string): Promise<{ stats: Stats } | { failure: WireFailure }> {
  try {
    return { stats: await lstat(path) };
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { failure: localFailure('endpoint_absent') };
    return { failure: unsafe(`${path} cannot be examined: you have no rights to its folder.`) };
  }
}

function unsafe(sentence: string): WireFailure {
  return localFailure('endpoint_unsafe', sentence);
}

/** The system's error name, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
