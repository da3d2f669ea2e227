/**
 * One protocol connection: lines in, records out, timers (PROTOCOL.md, "Queues and timers").
 * Invariants: `closed` is reported once; a request ID stays reserved until its response has been written;
 * nothing is delivered to the host after the end.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { LineFramer } from '../../wire/framing.ts';
import { LIMITS } from '../../wire/limits.ts';
import type { Clock } from '../clock.ts';
import { type EventRecord, OutQueue, type Push, type ResponseRecord } from './out-queue.ts';

export interface ConnectionHost {
  record(connection: Connection, bytes: Uint8Array): void;
  closed(connection: Connection): void;
}

/** A frame that is begun must be finished within this time. */
const PARTIAL_FRAME_MS = 5_000;

export class Connection {
  readonly id = randomUUID();
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #clock: Clock;
  readonly #framer = new LineFramer(LIMITS.max_record_bytes);
  readonly #queue: OutQueue;
  /** How many responses are owed per request ID. */
  readonly #owed = new Map<string, number>();
  #outstanding = 0;
  #initialized = false;
  #profile = false;
  #open = true;
  #cancelFrame: (() => void) | null = null;
  #cancelInitialize: () => void;

  constructor(socket: Socket, host: ConnectionHost, clock: Clock) {
    this.#socket = socket;
    this.#host = host;
    this.#clock = clock;
    this.#queue = new OutQueue(
      { write: (bytes, done) => socket.write(bytes, () => done()), stalled: () => this.close() },
      clock,
    );
    this.#cancelInitialize = clock.after(LIMITS.handshake_timeout_ms, () => this.close());
  }

  /** Begins to read; `first` came in the same chunk as the handshake. */
  start(first: Uint8Array): void {
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    for (const event of ['end', 'error', 'close'] as const) this.#socket.on(event, () => this.close());
    if (first.length > 0) this.#take(first);
  }

  get open(): boolean {
    return this.#open;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  /** Whether the session profile was negotiated. */
  get profile(): boolean {
    return this.#profile;
  }

  markInitialized(profile: boolean): void {
    this.#initialized = true;
    this.#profile = profile;
    this.#cancelInitialize();
  }

  /** Counts a response that is owed. False when there are too many: the connection is closed then. */
  owe(requestId: string | null): boolean {
    this.#outstanding += 1;
    if (requestId !== null) this.#owed.set(requestId, (this.#owed.get(requestId) ?? 0) + 1);
    if (this.#outstanding <= LIMITS.max_inflight_requests) return true;
    this.close();
    return false;
  }

  owes(requestId: string): boolean {
    return this.#owed.has(requestId);
  }

  respond(record: ResponseRecord): void {
    if (!this.#open) return;
    const push = this.#queue.pushResponse(record, () => this.#paid(record.request_id));
    if (push === 'overflow') this.close();
  }

  /** Whether the event will arrive; activity that found no room is `dropped`. */
  event(record: EventRecord): Push {
    if (!this.#open) return 'dropped';
    const push = this.#queue.pushEvent(record);
    if (push === 'overflow') this.close();
    return push;
  }

  whenWritten(): Promise<void> {
    return this.#queue.whenEmpty();
  }

  /** Resolves when the reader has caught up, or is gone; null when it has. */
  whenRoomy(): Promise<void> | null {
    return this.#queue.whenRoomy();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#cancelInitialize();
    this.#cancelFrame?.();
    this.#queue.close();
    this.#socket.destroy();
    this.#host.closed(this);
  }

  #paid(requestId: string | null): void {
    this.#outstanding -= 1;
    if (requestId === null) return;
    const left = (this.#owed.get(requestId) ?? 1) - 1;
    if (left === 0) this.#owed.delete(requestId);
    else this.#owed.set(requestId, left);
  }

  #take(chunk: Uint8Array): void {
    const frames = this.#framer.push(chunk);
    for (const frame of frames) {
      if (!this.#open) return;
      if (frame.kind === 'too-long') {
        this.close();
        return;
      }
      this.#host.record(this, frame.bytes);
    }
    if (this.#open) this.#watchFrame(frames.length);
  }

  /** The clock of a frame starts with its first byte. */
  #watchFrame(completed: number): void {
    if (completed > 0 || this.#framer.pendingBytes === 0) {
      this.#cancelFrame?.();
      this.#cancelFrame = null;
    }
    if (this.#framer.pendingBytes > 0 && this.#cancelFrame === null)
      this.#cancelFrame = this.#clock.after(PARTIAL_FRAME_MS, () => this.close());
  }
}
