/** One end of a connection in a script: what was sent on it, what came, how it ended. */
import type { HelloOptions } from '../../src/client/hello.ts';
import type { Json } from '../../src/wire/json.ts';
import { INITIALIZE, RawPeer } from '../interop/raw-peer.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';

/** An answer that does not come is part of the outcome, too. */
const PATIENCE_MS = 4_000;
const EVENT_PATIENCE_MS = 8_000;
/** Deadlines of the protocol are 5 s. */
const END_PATIENCE_MS = 8_000;
const LATE_MS = 2_500;

export type End = 'open' | 'left' | 'closed at once' | 'closed after some seconds';

export class Line {
  readonly peer: RawPeer;
  ids: JsonObject = { instance_id: null, connection_id: null };
  /** Records before it belong to no outcome. */
  from = 0;
  /** What was waited for in vain. */
  readonly missed: string[] = [];
  /** Answers that are owed to what was sent. */
  expected = 0;
  readonly #forgotten = new Set<JsonObject>();
  #left = false;
  #queued = '';
  #count = 0;
  #spokenAt = performance.now();
  #endedAt: number | null = null;

  private constructor(peer: RawPeer) {
    this.peer = peer;
    void peer.ended.then(() => {
      this.#endedAt = performance.now();
    });
  }

  static async open(endpoint: HelloOptions): Promise<Line> {
    return new Line(await RawPeer.connect(endpoint));
  }

  /** What belongs to the outcome. */
  get heard(): readonly JsonObject[] {
    return this.peer.records.slice(this.from).filter((record) => !this.#forgotten.has(record));
  }

  /** An answer that is no part of the outcome. */
  forget(answer: JsonObject): void {
    this.#forgotten.add(answer);
    this.expected -= 1;
    this.#count -= 1;
  }

  get end(): End {
    if (this.#left) return 'left';
    if (this.#endedAt === null) return 'open';
    return this.#endedAt - this.#spokenAt < LATE_MS ? 'closed at once' : 'closed after some seconds';
  }

  async greet(): Promise<void> {
    this.peer.hello();
    await this.#must((records) => records.length > 0);
    this.from = this.peer.records.length;
  }

  async welcome(): Promise<void> {
    await this.greet();
    this.peer.send({ ...this.request('initialize', INITIALIZE), request_id: 'welcome' });
    await this.#must((records) => records.length > this.from);
    const { instance_id = null, connection_id = null, error } = this.peer.records.at(-1) ?? {};
    if (error !== null) throw new Error('not welcome');
    this.ids = { instance_id, connection_id };
    this.#count = 0;
    this.from = this.peer.records.length;
  }

  write(data: string | Uint8Array): void {
    this.#spokenAt = performance.now();
    this.peer.write(data);
  }

  /** Written with the next flush. */
  queue(text: string): void {
    this.#queued += text;
  }

  flush(): void {
    if (this.#queued !== '') this.write(this.#queued);
    this.#queued = '';
  }

  /** A good request. */
  request(method: Json, payload: Json): JsonObject {
    this.#count += 1;
    return {
      protocol_version: 2,
      kind: 'request',
      request_id: `r${this.#count}`,
      ...this.ids,
      session_id: null,
      operation_id: null,
      control: null,
      method,
      payload,
    };
  }

  responses(): JsonObject[] {
    return this.heard.filter(({ kind }) => kind === 'response');
  }

  /** Waits until everything is answered. The last answer. */
  async settled(): Promise<JsonObject> {
    await this.#wait(() => this.responses().length >= this.expected);
    return this.responses().at(-1) ?? {};
  }

  async event(name: string, count: number): Promise<JsonObject> {
    const events = () => this.heard.filter(({ event }) => event === name);
    if (!(await this.#wait(() => events().length >= count, EVENT_PATIENCE_MS)))
      this.missed.push(`${name} number ${count} did not come`);
    return events()[count - 1] ?? {};
  }

  /** Ends it from here. */
  leave(): Promise<void> {
    this.#left = true;
    return this.peer.close();
  }

  async ended(): Promise<void> {
    await within(this.peer.ended, END_PATIENCE_MS);
  }

  async #must(fits: (records: readonly JsonObject[]) => boolean): Promise<void> {
    if (!(await this.#wait(() => fits(this.peer.records)))) throw new Error('no answer to the welcome');
  }

  async #wait(fits: () => boolean, ms = PATIENCE_MS): Promise<boolean> {
    const found = this.peer.find(fits).then(
      () => true,
      () => false,
    );
    return fits() || ((await within(found, ms)) ?? false);
  }
}

/** Null when it took too long. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The payload of a record, or an empty object. */
export function payloadOf({ payload = null }: JsonObject): JsonObject {
  return payload === null ? {} : objectOf(payload);
}
