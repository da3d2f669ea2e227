/** The two lines before any record, as the service sees them (PROTOCOL.md, "Handshake"). */
import type { Socket } from 'node:net';
import type { HelloReply } from '../../wire/handshake.ts';
import { hello } from '../../wire/handshake.ts';
import { parseStrict } from '../../wire/json.ts';
import { LIMITS, MAX_HANDSHAKE_BYTES } from '../../wire/limits.ts';
import type { Clock } from '../clock.ts';

export interface Identity {
  readonly version: string;
  /** Canonical path. */
  readonly workspace: string;
  /** Canonical path. */
  readonly stateRoot: string;
}

/** `refuse`: close without a word. `incompatible`: answer, then close. */
export type Greeting = 'refuse' | 'incompatible' | 'connect' | 'status' | 'stop';

const LF = 0x0a;

export function judgeHello(line: Uint8Array, identity: Identity): Greeting {
  const parsed = parseStrict(line);
  if (!parsed.ok) return 'refuse';
  const message = hello.safeParse(parsed.value);
  if (!message.success) return 'refuse';
  const { version, workspace, state_root, action } = message.data;
  if (!samePath(workspace, identity.workspace) || !samePath(state_root, identity.stateRoot)) return 'refuse';
  if (version !== identity.version) return 'incompatible';
  return action === 'connect' || action === 'status' || action === 'stop' ? action : 'refuse';
}

/** By path component: `/a/b/` and `/a/b/.` are `/a/b`; links are not followed. */
function samePath(given: string, own: string): boolean {
  const parts = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');
  return given.startsWith('/') && parts(given).join('/') === parts(own).join('/');
}

export function replyLine(identity: Identity, status: HelloReply['status']): string {
  const { version, workspace, stateRoot: state_root } = identity;
  return `${JSON.stringify({ version, workspace, state_root, status } satisfies HelloReply)}\n`;
}

/**
 * Waits for the first line. `take` gets it, and what came behind it in the same chunk; a line that is too
 * long or too late destroys the socket.
 */
export function awaitHello(
  socket: Socket,
  clock: Clock,
  take: (line: Uint8Array, rest: Uint8Array) => void,
): void {
  let received = Buffer.alloc(0);
  const cancel = clock.after(LIMITS.handshake_timeout_ms, () => socket.destroy());
  const onData = (chunk: Buffer): void => {
    const from = received.length;
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf(LF, from);
    if ((end === -1 ? received.length : end) > MAX_HANDSHAKE_BYTES) socket.destroy();
    else if (end !== -1) {
      cancel();
      socket.off('data', onData);
      take(received.subarray(0, end), received.subarray(end + 1));
    }
  };
  socket.on('data', onData);
  socket.on('close', cancel);
  socket.on('error', () => socket.destroy());
}
