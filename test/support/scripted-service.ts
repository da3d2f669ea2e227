/**
 * A service that does what a test says: a private Unix socket, and one script per accepted socket.
 * A script reads lines, sends records whole, in pieces, held back or cut off, and closes.
 */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { encodeRecord, type Json } from '../../src/wire/json.ts';
import {
  goodInitializeResult,
  isHello,
  type JsonObject,
  objectOf,
  TRACE_IDENTITY,
  TRACE_VERSION,
  type TraceLine,
} from './traces.ts';

/** @param index which socket it is, from 0 */
export type Script = (peer: ScriptedPeer, index: number) => Promise<void>;

export class ScriptedService {
  readonly directory: string;
  readonly socket: string;
  readonly identity = TRACE_IDENTITY;
  readonly version = TRACE_VERSION;
  readonly peers: ScriptedPeer[] = [];
  /** Scripts that failed: a test should find none. */
  readonly errors: unknown[] = [];
  readonly #script: Script;
  #server: Server | null = null;

  private constructor(script: Script) {
    this.#script = script;
    this.directory = mkdtempSync('/tmp/magi-scripted-');
    this.socket = join(this.directory, 's.sock');
  }

  static async start(script: Script): Promise<ScriptedService> {
    const service = new ScriptedService(script);
    await service.listen();
    return service;
  }

  /** What `openConnection` needs to come here. */
  get options() {
    const { directory, socket, identity, version } = this;
    return { directory, socket, identity, version };
  }

  /** Listens, for the first time or again after `stopListening`. */
  async listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    server.listen(this.socket);
    await once(server, 'listening');
    chmodSync(this.socket, 0o600);
    this.#server = server;
  }

  /** Closes the listening socket and every open one. */
  async stopListening(): Promise<void> {
    for (const peer of this.peers) peer.close();
    const server = this.#server;
    this.#server = null;
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  async stop(): Promise<void> {
    await this.stopListening();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #accept(socket: Socket): void {
    const peer = new ScriptedPeer(socket);
    const index = this.peers.push(peer) - 1;
    this.#script(peer, index).catch((error: unknown) => {
      if (!(error instanceof PeerGone)) this.errors.push(error);
    });
  }
}

/** The other side has closed while a script waited for a line. */
class PeerGone extends Error {}

/** One accepted socket, seen from the service. */
export class ScriptedPeer {
  readonly #socket: Socket;
  #text = '';
  #lines: string[] = [];
  #ended = false;
  #wake: () => void = () => {};
  #held: Buffer[] | null = null;
  /** Every record that has been read, in order. */
  readonly received: JsonObject[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      const lines = (this.#text + chunk).split('\n');
      this.#text = lines.pop() ?? '';
      this.#lines.push(...lines);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Lines that have come and were not read. */
  get unread(): number {
    return this.#lines.length;
  }

  /** @throws PeerGone */
  async read(): Promise<JsonObject> {
    while (true) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        const record = objectOf(JSON.parse(line));
        this.received.push(record);
        return record;
      }
      if (this.#ended) throw new PeerGone();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Reads a request and checks its method. */
  async expect(method: string): Promise<JsonObject> {
    const request = await this.read();
    if (request.method !== method) throw new Error(`expected ${method}, got ${String(request.method)}`);
    return request;
  }

  /** Resolves when the other side has closed. */
  async gone(): Promise<void> {
    while (!this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  send(record: unknown): void {
    this.sendBytes(encodeRecord(record));
  }

  sendBytes(bytes: Buffer | string): void {
    const buffer = Buffer.from(bytes);
    if (this.#held !== null) this.#held.push(buffer);
    else if (!this.#socket.destroyed) this.#socket.write(buffer);
  }

  /** Several records in one write. */
  sendTogether(records: readonly unknown[]): void {
    this.sendBytes(Buffer.concat(records.map(encodeRecord)));
  }

  /** One byte a write. */
  async sendByByte(record: unknown): Promise<void> {
    this.#socket.setNoDelay();
    for (const byte of encodeRecord(record)) {
      this.#socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
  }

  /** Keeps everything that is sent from now on until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.sendBytes(Buffer.concat(held));
  }

  close(): void {
    this.#socket.end();
    this.#socket.destroySoon();
  }

  /** Sends the first half of a record and closes. */
  closeInside(record: unknown): void {
    const bytes = encodeRecord(record);
    this.sendBytes(bytes.subarray(0, bytes.length >> 1));
    this.close();
  }

  /** Hello and `initialize`, both answered well; `changes` replace members of the result. */
  async welcome(changes: JsonObject = {}): Promise<void> {
    const hello = await this.read();
    this.send({
      version: hello.version,
      workspace: hello.workspace,
      state_root: hello.state_root,
      status: 'ready',
    });
    const request = await this.expect('initialize');
    this.answer(request, { ...goodInitializeResult(), ...changes });
  }

  /** A success, unless `error` is given. */
  answer(
    request: JsonObject,
    payload: unknown,
    error: { code: string; message: string } | null = null,
  ): void {
    this.send(responseTo(request, payload, error));
  }

  refuse(request: JsonObject, code: string): void {
    this.answer(request, null, { code, message: 'said by the script' });
  }

  /** Plays the service's side of one socket of a trace; identities of requests are those that really came. */
  async play(lines: readonly TraceLine[]): Promise<void> {
    const names = new Map<Json, Json>();
    for (const { dir, record } of lines) {
      if (dir === 's2c') {
        this.send(renamed(record, names));
        continue;
      }
      const request = isHello(record) ? await this.read() : await this.expect(String(record.method));
      for (const slot of ['request_id', 'operation_id'] as const) {
        const traced = record[slot];
        const real = request[slot];
        if (typeof traced === 'string' && real !== undefined) names.set(traced, real);
      }
      // A lookup is told of the operation that it asked for.
      if (request.method === 'operation.lookup') {
        const asked = objectOf(request.payload).operation_id;
        if (asked !== undefined) names.set(asked, asked);
      }
    }
  }
}

/** The IDs of the service that `welcome` plays. */
export const SCRIPTED_IDS = {
  instance_id: String(goodInitializeResult().instance_id),
  connection_id: String(goodInitializeResult().connection_id),
};

export function responseTo(
  request: JsonObject,
  payload: unknown,
  error: { code: string; message: string } | null = null,
): { [key: string]: unknown } {
  const { request_id, session_id, operation_id, method } = request;
  const head = { protocol_version: 2, kind: 'response', ...SCRIPTED_IDS };
  return { ...head, request_id, session_id, operation_id, method, payload, error };
}

/** The same value with strings exchanged. */
function renamed(value: Json, names: ReadonlyMap<Json, Json>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => renamed(item, names));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, names)]));
  return names.get(value) ?? value;
}
