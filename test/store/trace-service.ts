/**
 * A service that answers a real client from a recorded conversation: each request gets the next recorded response
 * to its method, and the events that followed it then. What was not recorded is answered plainly.
 */
import type { ScriptedPeer } from '../support/scripted-service.ts';
import {
  isHello,
  type JsonObject,
  type Mutation,
  objectOf,
  readTrace,
  type TraceLine,
} from '../support/traces.ts';

/** What the client asks although it was not asked in the recording. */
const PLAIN: Readonly<Record<string, JsonObject>> = {
  'session.detach': plain('02-session-lifecycle', 'session.detach'),
  status: plain('01-handshake-initialize-status', 'status'),
  'config.get': plain('12-config-and-catalog', 'config.get'),
};
const EMPTY_PAGE = {
  events: [],
  next_cursor: 'c0',
  snapshot_cursor: 'c0',
  truncated: false,
  gap: false,
  resync_required: false,
};

function plain(trace: string, method: string): JsonObject {
  const line = readTrace(trace).find(
    ({ dir, record }) => dir === 's2c' && record.method === method && record.error === null,
  );
  return objectOf(line?.record.payload);
}

/** One change to one record of the recording. */
export interface Poison {
  readonly target: TraceLine;
  readonly mutate: Mutation;
}

/** Plays one socket of a recording. Ends when the client has gone, or by closing when another socket follows. */
export class TraceService {
  readonly #lines: readonly TraceLine[];
  readonly #poison: Poison | null;
  #at = 0;
  #running = false;
  #ids: JsonObject = {};
  readonly #names = new Map<string, string>();

  constructor(lines: readonly TraceLine[], poison: Poison | null = null) {
    this.#lines = lines;
    this.#poison = poison;
  }

  async play(peer: ScriptedPeer, isLast: boolean): Promise<void> {
    const hello = await peer.read();
    this.#answerHello(peer, hello);
    while (isLast || this.#at < this.#lines.length) this.#answer(peer, await peer.read());
    peer.close();
  }

  #answerHello(peer: ScriptedPeer, { version, workspace, state_root }: JsonObject): void {
    this.#at = 2;
    peer.send({ version, workspace, state_root, status: 'ready' });
  }

  #answer(peer: ScriptedPeer, request: JsonObject): void {
    const found = this.#responseTo(request);
    if (found === null) {
      const { request_id, session_id, operation_id, method } = request;
      const payload = method === 'session.replay' ? EMPTY_PAGE : this.#plainly(String(method));
      const head = { protocol_version: 2, kind: 'response', ...this.#ids };
      peer.send({ ...head, request_id, session_id, operation_id, method, payload, error: null });
      return;
    }
    // Events that came between the last answer and this one.
    for (const line of this.#lines.slice(this.#at, found)) if (isEvent(line)) this.#send(peer, line);
    const line = this.#lines[found];
    if (line === undefined) throw new Error('no such line');
    this.#learn(line.record, request);
    this.#send(peer, line);
    this.#at = found + 1;
    for (
      let next = this.#lines[this.#at];
      next !== undefined && isEvent(next);
      next = this.#lines[this.#at]
    ) {
      this.#send(peer, next);
      this.#at += 1;
    }
  }

  #responseTo({ method }: JsonObject): number | null {
    if (method === 'session.replay' && this.#running) return null;
    const index = this.#lines.findIndex(
      ({ dir, record }, at) => at >= this.#at && dir === 's2c' && record.method === method,
    );
    return index === -1 ? null : index;
  }

  #plainly(method: string): JsonObject {
    const payload = PLAIN[method];
    if (payload === undefined) throw new Error(`nothing recorded for ${method}`);
    return method === 'status' ? { ...payload, ...this.#identities() } : payload;
  }

  /** The identities that `status` repeats are those of this socket's `initialize`. */
  #identities(): JsonObject {
    const initialize = this.#lines.find(({ dir, record }) => dir === 's2c' && record.method === 'initialize');
    const { instance_id, workspace_id, state_root_id } = objectOf(initialize?.record.payload);
    return {
      instance_id: instance_id ?? null,
      workspace_id: workspace_id ?? null,
      state_root_id: state_root_id ?? null,
    };
  }

  #learn(recorded: JsonObject, request: JsonObject): void {
    const { instance_id, connection_id } = recorded;
    this.#ids = { instance_id: instance_id ?? null, connection_id: connection_id ?? null };
    for (const slot of ['request_id', 'operation_id', 'session_id'] as const) {
      const [old, real] = [recorded[slot], request[slot]];
      if (typeof old === 'string' && typeof real === 'string') this.#names.set(old, real);
    }
  }

  #send(peer: ScriptedPeer, line: TraceLine): void {
    if (line.record.event === 'turn.started') this.#running = true;
    if (line.record.event === 'turn.terminal') this.#running = false;
    const record = objectOf(JSON.parse(JSON.stringify(line.record), (_key, value) => this.#renamed(value)));
    const poisoned = this.#poison?.target === line ? this.#poison.mutate(record) : record;
    if (poisoned instanceof Buffer) peer.sendBytes(poisoned);
    else peer.send(poisoned);
  }

  #renamed(value: unknown): unknown {
    return typeof value === 'string' ? (this.#names.get(value) ?? value) : value;
  }
}

function isEvent({ dir, record }: TraceLine): boolean {
  return dir === 's2c' && !isHello(record) && record.kind === 'event';
}
