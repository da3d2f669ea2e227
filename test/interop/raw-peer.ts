/** A socket that says what the real client never would: any bytes, any record. */
import { createConnection, type Socket } from 'node:net';
import type { HelloOptions } from '../../src/client/hello.ts';
import { LineFramer } from '../../src/wire/framing.ts';
import type { Json } from '../../src/wire/json.ts';
import { LIMITS } from '../../src/wire/limits.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';

export class RawPeer {
  /** Everything that came, in its order. */
  readonly records: JsonObject[] = [];
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #endpoint: HelloOptions;
  readonly #waiting = new Set<() => void>();
  #isEnded = false;
  #count = 0;
  /** Of this connection, once `welcome` has found them out. */
  #ids: JsonObject = { instance_id: null, connection_id: null };

  private constructor(socket: Socket, endpoint: HelloOptions) {
    this.#socket = socket;
    this.#endpoint = endpoint;
    const framer = new LineFramer(LIMITS.max_record_bytes);
    socket.on('data', (chunk) => {
      for (const frame of framer.push(chunk))
        if (frame.kind === 'line') this.records.push(JSON.parse(Buffer.from(frame.bytes).toString('utf8')));
      this.#wake();
    });
    // A reset is an end too.
    socket.on('error', () => socket.destroy());
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isEnded = true;
        this.#wake();
        resolve();
      });
    });
  }

  static connect(endpoint: HelloOptions): Promise<RawPeer> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path: endpoint.socket });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawPeer(socket, endpoint));
      });
    });
  }

  /** Connected, `ready`, and not initialized. */
  static async greeted(endpoint: HelloOptions): Promise<RawPeer> {
    const peer = await RawPeer.connect(endpoint);
    peer.hello();
    await peer.find(({ status }) => status === 'ready');
    return peer;
  }

  /** Connected and initialized. */
  static async welcomed(endpoint: HelloOptions): Promise<RawPeer> {
    const peer = await RawPeer.greeted(endpoint);
    const { instance_id = null, connection_id = null } = await peer.ask('initialize', INITIALIZE);
    peer.#ids = { instance_id, connection_id };
    return peer;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  write(text: string | Uint8Array): void {
    this.#socket.write(text);
  }

  /** Says nothing more and goes on listening. */
  finish(): void {
    this.#socket.end();
  }

  /** Reads nothing until it listens again. */
  listen(on: boolean): void {
    if (on) this.#socket.resume();
    else this.#socket.pause();
  }

  send(record: Json): void {
    this.write(`${JSON.stringify(record)}\n`);
  }

  /** A good hello, with these members changed; undefined takes one away. */
  hello(changes: Readonly<Record<string, string | undefined>> = {}): void {
    const { identity, version } = this.#endpoint;
    const { workspace, stateRoot: state_root } = identity;
    this.write(`${JSON.stringify({ version, workspace, state_root, action: 'connect', ...changes })}\n`);
  }

  /** A good request, with these slots changed. */
  request(method: string, payload: Json = {}, slots: JsonObject = {}): JsonObject {
    this.#count += 1;
    return {
      protocol_version: 2,
      kind: 'request',
      request_id: `raw-${this.#count}`,
      ...this.#ids,
      session_id: null,
      operation_id: null,
      control: null,
      method,
      payload,
      ...slots,
    };
  }

  /** Sends a request. Its response. */
  ask(method: string, payload: Json = {}, slots: JsonObject = {}): Promise<JsonObject> {
    const request = this.request(method, payload, slots);
    this.send(request);
    return this.find(({ kind, request_id }) => kind === 'response' && request_id === request.request_id);
  }

  /** Sends a request. The code with which it was refused, or null. */
  async refusal(method: string, payload: Json = {}, slots: JsonObject = {}): Promise<Json> {
    return codeOf(await this.ask(method, payload, slots));
  }

  /** The first record that fits, also when it came before. @throws when the socket ends without it */
  async find(fits: (record: JsonObject) => boolean): Promise<JsonObject> {
    while (true) {
      const found = this.records.find(fits);
      if (found !== undefined) return found;
      if (this.#isEnded) throw new Error('the socket ended before the record came');
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  close(): Promise<void> {
    this.#socket.destroy();
    return this.ended;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

export const INITIALIZE: JsonObject = { supported_protocol_versions: [2], requested_capabilities: [] };

/** The error code of a response, or null. */
export function codeOf({ error = null }: JsonObject): Json {
  return error === null ? null : (objectOf(error).code ?? null);
}
