/**
 * What waits to be written to one connection (PROTOCOL.md, "Queues and timers").
 * Invariants: order is kept; one record is on its way at a time; at most `max_queued_records` and
 * `max_queued_bytes` wait. Under pressure neighbouring deltas of one turn become one delta, an envelope replaces
 * the deltas of its text, and activity is left out first, so that a reader who is slow but alive is not dropped.
 */
import type { EventEnvelope, ResponseEnvelope } from '../../wire/envelope.ts';
import { encodedBytes, encodeRecord } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import { sessionEnvelopeEvent } from '../../wire/session-protocol.ts';
import { type TurnAssistantDelta, turnAssistantDelta } from '../../wire/turn.ts';
import type { Clock } from '../clock.ts';

export type EventRecord = Omit<EventEnvelope, 'payload'> & { readonly payload: object };
export type ResponseRecord = Omit<ResponseEnvelope, 'payload'> & { readonly payload: unknown };

interface Item {
  record: ResponseRecord | EventRecord;
  bytes: number;
  readonly written: () => void;
}

/** `dropped`: activity that found no room. `overflow`: the connection cannot be saved. */
export type Push = 'queued' | 'dropped' | 'overflow';

/** From here on neighbouring deltas are joined. */
const PRESSURE_RECORDS = 8;
/** From here on activity is left out: the rest of the room is for what must arrive. */
const ACTIVITY_RECORDS = LIMITS.max_queued_records / 2;
const ACTIVITY_BYTES = LIMITS.max_queued_bytes / 2;

export interface OutPort {
  /** Calls `done` when the record has left this process. */
  write(bytes: Buffer, done: () => void): void;
  /** A record was not taken within the write timeout. */
  stalled(): void;
}

export class OutQueue {
  readonly #port: OutPort;
  readonly #clock: Clock;
  #items: Item[] = [];
  #bytes = 0;
  #writing = false;
  #cancelTimer: () => void = () => undefined;
  #closed = false;
  #waiting: (() => void)[] = [];
  #crowded: (() => void)[] = [];

  constructor(port: OutPort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
  }

  pushResponse(record: ResponseRecord, written: () => void): Push {
    return this.#push({ record, bytes: encodedBytes(record) + 1, written });
  }

  pushEvent(record: EventRecord): Push {
    if (record.event === 'turn.assistant_delta' && this.#join(record)) return 'queued';
    if (record.event === 'session.envelope') this.#supersede(record);
    if (record.event === 'turn.activity' && !this.#isRoomy()) return 'dropped';
    return this.#push({ record, bytes: encodedBytes(record) + 1, written: () => undefined });
  }

  /** Resolves when everything has been written, or nothing will be any more. */
  whenEmpty(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed || (this.#items.length === 0 && !this.#writing)) resolve();
      else this.#waiting.push(resolve);
    });
  }

  /** Resolves when half of the room is free, or nothing will be written any more; null when it is now. */
  whenRoomy(): Promise<void> | null {
    if (this.#isRoomy()) return null;
    return new Promise((resolve) => this.#crowded.push(resolve));
  }

  #isRoomy(): boolean {
    return this.#closed || (this.#items.length < ACTIVITY_RECORDS && this.#bytes < ACTIVITY_BYTES);
  }

  close(): void {
    this.#closed = true;
    this.#items = [];
    this.#bytes = 0;
    this.#cancelTimer();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of [...this.#waiting.splice(0), ...this.#crowded.splice(0)]) resolve();
  }

  #push(item: Item): Push {
    if (item.bytes > LIMITS.max_record_bytes) return 'overflow';
    if (this.#items.length >= LIMITS.max_queued_records) return 'overflow';
    if (this.#bytes + item.bytes > LIMITS.max_queued_bytes) return 'overflow';
    this.#items.push(item);
    this.#bytes += item.bytes;
    this.#pump();
    return 'queued';
  }

  #join(record: EventRecord): boolean {
    const last = this.#items.at(-1);
    if (last === undefined || last.record.kind !== 'event' || this.#items.length < PRESSURE_RECORDS)
      return false;
    const joined = joinDeltas(last.record, record);
    if (joined === null) return false;
    const bytes = encodedBytes(joined) + 1;
    this.#bytes += bytes - last.bytes;
    last.record = joined;
    last.bytes = bytes;
    return true;
  }

  /** Under pressure an envelope takes the place of the deltas that announced its text. */
  #supersede(record: EventRecord): void {
    for (let last = this.#items.at(-1); last !== undefined; last = this.#items.at(-1)) {
      if (this.#items.length < PRESSURE_RECORDS || !isAnnounced(last.record, record)) return;
      this.#items.pop();
      this.#bytes -= last.bytes;
    }
  }

  #pump(): void {
    if (this.#writing || this.#closed) return;
    const item = this.#items.shift();
    if (item === undefined) {
      this.#wake();
      return;
    }
    this.#bytes -= item.bytes;
    if (this.#isRoomy()) for (const resolve of this.#crowded.splice(0)) resolve();
    this.#writing = true;
    this.#cancelTimer = this.#clock.after(LIMITS.write_timeout_ms, () => this.#port.stalled());
    this.#port.write(encodeRecord(item.record), () => {
      this.#cancelTimer();
      this.#writing = false;
      item.written();
      this.#pump();
    });
  }
}

/** Two deltas of one turn, grant and envelope as one: texts in order, position of the later. */
function joinDeltas(first: EventRecord, second: EventRecord): EventRecord | null {
  if (first.grant_generation !== second.grant_generation) return null;
  const a = deltaOf(first);
  const b = deltaOf(second);
  if (a === null || b === null || !isSameSpeech(a, b)) return null;
  return { ...second, payload: { ...b, text: a.text + b.text } };
}

function isAnnounced(delta: Item['record'], { grant_generation, payload }: EventRecord): boolean {
  if (delta.kind !== 'event' || delta.grant_generation !== grant_generation) return false;
  const announced = deltaOf(delta)?.envelope_id;
  const placed = sessionEnvelopeEvent.safeParse(payload).data;
  return announced !== undefined && placed?.envelope.id === announced;
}

function isSameSpeech(a: TurnAssistantDelta, b: TurnAssistantDelta): boolean {
  const isSame = a.turn_id === b.turn_id && a.envelope_id === b.envelope_id;
  return isSame && a.thinking === b.thinking && a.subagent === b.subagent;
}

function deltaOf(record: EventRecord): TurnAssistantDelta | null {
  if (record.event !== 'turn.assistant_delta') return null;
  return turnAssistantDelta.safeParse(record.payload).data ?? null;
}
