/** The two lines before any record (PROTOCOL.md, "Handshake"). */
import { type Hello, type HelloReply, helloReply } from '../wire/handshake.ts';
import { encodeRecord, parseStrict } from '../wire/json.ts';
import { LIMITS, MAX_HANDSHAKE_BYTES } from '../wire/limits.ts';
import type { ServiceIdentity } from '../wire/preflight.ts';
import { checkEndpoint, type Endpoint } from './endpoint.ts';
import { localFailure, violation, type WireFailure } from './failure.ts';
import { connectLineSocket, type LineSocket } from './line-socket.ts';

export interface HelloOptions extends Endpoint {
  /** Canonical paths. */
  readonly identity: ServiceIdentity;
  /** Package version: service and client must have the same. */
  readonly version: string;
  /** For each step of the handshake; 5000 when absent. */
  readonly timeoutMs?: number;
}

/**
 * Checks the endpoint, connects and says hello.
 * @throws WireFailure of `checkEndpoint`, `connectLineSocket`; endpoint_silent, endpoint_closed, version_mismatch,
 * preflight_refused (other identity), protocol_violation
 */
export async function greet(options: HelloOptions): Promise<LineSocket> {
  const unfit = await checkEndpoint(options);
  if (unfit !== null) throw unfit;
  const timeoutMs = options.timeoutMs ?? LIMITS.handshake_timeout_ms;
  const line = await connectLineSocket(options.socket, timeoutMs);
  try {
    line.write(encodeRecord(helloOf(options)));
    const reply = readReply(await withDeadline(line.take(), timeoutMs));
    const wrong = checkReply(reply, options);
    if (wrong !== null) throw wrong;
    if (reply.status !== 'ready') throw violation('a hello is answered as if it were another');
    return line;
  } catch (error) {
    line.destroy();
    throw error;
  }
}

function helloOf({ version, identity }: HelloOptions): Hello {
  return { version, workspace: identity.workspace, state_root: identity.stateRoot, action: 'connect' };
}

function readReply(taken: Uint8Array | 'closed' | 'oversize'): HelloReply {
  if (taken === 'closed') throw localFailure('endpoint_closed');
  if (taken === 'oversize' || taken.length > MAX_HANDSHAKE_BYTES)
    throw violation('the handshake line is too long');
  const parsed = parseStrict(taken);
  if (!parsed.ok) throw violation(`the handshake line cannot be read (${parsed.reason})`);
  const reply = helloReply.safeParse(parsed.value);
  if (!reply.success) throw violation('the handshake line has the wrong members');
  return reply.data;
}

function checkReply(reply: HelloReply, { identity, version }: HelloOptions): WireFailure | null {
  if (reply.workspace !== identity.workspace || reply.state_root !== identity.stateRoot)
    return localFailure('preflight_refused', 'The service works in another folder.');
  if (reply.status === 'incompatible' || reply.version !== version)
    return localFailure(
      'version_mismatch',
      `The service has version ${printable(reply.version)}, this program ${version}.`,
    );
  return null;
}

/** A version is shown to people and comes from outside: nothing but the letters that versions have. */
function printable(version: string): string {
  return version.replace(/[^0-9A-Za-z.+-]/g, '?').slice(0, 64);
}

/** @throws WireFailure endpoint_silent when the time is over */
export async function withDeadline<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const silent = Promise.withResolvers<never>();
  const timer = setTimeout(() => silent.reject(localFailure('endpoint_silent')), timeoutMs);
  try {
    return await Promise.race([promise, silent.promise]);
  } finally {
    clearTimeout(timer);
  }
}
