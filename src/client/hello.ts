/** The two lines before any record (PROTOCOL.md, "Handshake"). */
import { type Hello, type HelloReply, helloReply } from '../wire/handshake.ts';
import { encodeRecord, parseStrict } from '../wire/json.ts';
import { LIMITS, MAX_HANDSHAKE_BYTES } from '../wire/limits.ts';
import type { ServiceIdentity } from '../wire/preflight.ts';
import { checkEndpoint, type Endpoint } from './endpoint.ts';
import { localFailure, printableVersion, violation, type WireFailure } from './failure.ts';
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
 * Checks the endpoint, connects, says hello and keeps the socket for records.
 * @throws WireFailure of `exchange`; version_mismatch
 */
export async function greet(options: HelloOptions): Promise<LineSocket> {
  const { line, reply } = await exchange(options, 'connect');
  const { version, status } = reply;
  if (status === 'ready' && version === options.version) return line;
  line.destroy();
  if (status === 'incompatible' || status === 'ready') throw otherVersion(version, options.version);
  throw violation('a hello is answered as if it were another');
}

/**
 * What the service says of itself, or of being told to stop; it closes the socket behind its answer. A service
 * of another version answers `incompatible`, whatever it was asked.
 * @throws WireFailure of `exchange`
 */
export async function askService(options: HelloOptions, action: 'status' | 'stop'): Promise<HelloReply> {
  const { line, reply } = await exchange(options, action);
  line.destroy();
  if (!ANSWERS[action].includes(reply.status)) throw violation('a hello is answered as if it were another');
  return reply;
}

const ANSWERS: Readonly<Record<'status' | 'stop', readonly HelloReply['status'][]>> = {
  status: ['ready', 'incompatible'],
  stop: ['stopped', 'busy', 'incompatible'],
};

/** @throws WireFailure of `checkEndpoint`, `connectLineSocket`; endpoint_silent, endpoint_closed, preflight_refused (other identity), protocol_violation */
async function exchange(
  options: HelloOptions,
  action: Hello['action'],
): Promise<{ readonly line: LineSocket; readonly reply: HelloReply }> {
  const unfit = await checkEndpoint(options);
  if (unfit !== null) throw unfit;
  const timeoutMs = options.timeoutMs ?? LIMITS.handshake_timeout_ms;
  const line = await connectLineSocket(options.socket, timeoutMs);
  try {
    line.write(encodeRecord(helloOf(options, action)));
    const reply = readReply(await withDeadline(line.take(), timeoutMs));
    const { identity } = options;
    if (reply.workspace !== identity.workspace || reply.state_root !== identity.stateRoot)
      throw localFailure('preflight_refused', 'The service works in another folder.');
    return { line, reply };
  } catch (error) {
    line.destroy();
    throw error;
  }
}

function helloOf({ version, identity }: HelloOptions, action: Hello['action']): Hello {
  return { version, workspace: identity.workspace, state_root: identity.stateRoot, action };
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

function otherVersion(theirs: string, ours: string): WireFailure {
  const sentence = `The service has version ${printableVersion(theirs)}, this program ${ours}.`;
  return localFailure('version_mismatch', sentence);
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
