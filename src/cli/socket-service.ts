/** `--socket`: a service that runs already, embedded or a magi-code (PROTOCOL.md, "Endpoint", "Handshake"). */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type Connection, openConnection } from '../client/connection.ts';
import { askService } from '../client/hello.ts';
import { VERSION } from '../platform/version.ts';
import { serviceKey } from '../wire/identity.ts';
import type { ServiceIdentity } from '../wire/preflight.ts';
import { SESSION_PROTOCOL } from '../wire/session-protocol.ts';
import { UsageError } from './flags.ts';

/** A socket that is named after the folder and state root that it serves. */
const KEYED = /^[0-9a-f]{48}\.sock$/;

/**
 * The state root behind a socket: the given one, or that of a magi-code, whichever the socket is named after.
 * @throws UsageError when it is named after neither
 */
export function identityOfSocket(
  socket: string,
  { workspace, stateRoot }: ServiceIdentity,
  env: NodeJS.ProcessEnv,
): ServiceIdentity {
  const name = basename(socket);
  if (!KEYED.test(name)) return { workspace, stateRoot };
  const roots = [stateRoot, canonical(env.MC_HOME ?? join(env.HOME ?? homedir(), '.magi-code'))];
  const match = roots.find((root) => `${serviceKey(workspace, root)}.sock` === name);
  if (match !== undefined) return { workspace, stateRoot: match };
  throw new UsageError(
    `The socket ${socket} serves another folder or state root: name them with --workspace and --state-root.`,
  );
}

function canonical(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The service tells its version first, and what it offers decides: magi-code has versions of its own. */
export async function dialSocket(path: string, identity: ServiceIdentity): Promise<Connection> {
  const socket = resolve(path);
  const options = { directory: dirname(socket), socket, identity, version: VERSION };
  const { version } = await askService(options, 'status');
  return openConnection({ ...options, version, wishes: [SESSION_PROTOCOL] });
}
