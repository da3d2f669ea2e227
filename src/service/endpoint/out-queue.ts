/**
 * What waits to be written to one connection (PROTOCOL.md, "Queues and timers").
 * Invariants: order is kept; one record is on its way at a time; at most `max_queued_records` and
 * `max_queued_bytes` wait. Under pressure neighbouring deltas of one turn become one delta, an envelope replaces
 * the deltas of its text, and activity is left out first, so that a reader who is slow but alive is not dropped.
 */
import type { EventEnvelope, ResponseEnvelope } from '../../wire/envelope.ts';
import { byteLength, encodedBytes, encodeRecord } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import { sessionEnvelopeEvent } from '../../wire/session-protocol.ts';
import { type TurnAssistantDelta, turnAssistantDelta } from '../../wire/turn.ts';
import type { Clock } from '../clock.ts';

export type EventRecord = Omit<EventEnvelope, 'payload'> & { readonly payload: object };
export type ResponseRecord = Omit<ResponseEnvelope, 'payload'> & { readonly payload: unknown };

interface Item {
  record: ResponseRecord | EventRecord;
  /** Null for everything that is no delta. */
  readonly speech: Speech | null;
  bytes: number;
  readonly written: () => void;
}

/** A delta, and those that were joined to it: their text is put together once, when it leaves. */
interface Speech {
  /** The latest, whose position holds for all. */
  delta: TurnAssistantDelta;
  readonly parts: string[];
  /** UTF-8 bytes of all parts. */
  raw: number;
  /** Bytes of all parts as JSON strings, without their quotes. */
  encoded: number;
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
    return this.#push({ record, speech: null, bytes: encodedBytes(record) + 1, written });
  }

  pushEvent(record: EventRecord): Push {
    const bytes = encodedBytes(record) + 1;
    const speech = speechOf(record);
    if (speech !== null && this.#join(record, speech, bytes)) return 'queued';
    if (record.event === 'session.envelope') this.#supersede(record);
    if (record.event === 'turn.activity' && !this.#isRoomy()) return 'dropped';
    return this.#push({ record, speech, bytes, written: () => undefined });
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

  /** Costs what the new delta costs, however much waits. */
  #join(record: EventRecord, speech: Speech, bytes: number): boolean {
    const last = this.#items.at(-1);
    if (last === undefined || last.speech === null || this.#items.length < PRESSURE_RECORDS) return false;
    const isSame = isSameGrant(last.record, record) && isSameSpeech(last.speech.delta, speech.delta);
    const joined = bytes + last.speech.encoded;
    const more = joined - last.bytes;
    if (!isSame || !fitsOne(last.speech, speech)) return false;
    if (this.#bytes + more > LIMITS.max_queued_bytes) return false;
    last.speech.delta = speech.delta;
    last.speech.parts.push(...speech.parts);
    last.speech.raw += speech.raw;
    last.speech.encoded += speech.encoded;
    last.record = record;
    last.bytes = joined;
    this.#bytes += more;
    return true;
  }

  /** Under pressure an envelope takes the place of the deltas that announced its text. */
  #supersede(record: EventRecord): void {
    for (let last = this.#items.at(-1); last !== undefined; last = this.#items.at(-1)) {
      if (this.#items.length < PRESSURE_RECORDS || !isAnnounced(last, record)) return;
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
    this.#port.write(encodeRecord(recordOf(item)), () => {
      this.#cancelTimer();
      this.#writing = false;
      item.written();
      this.#pump();
    });
  }
}

/** What is written: a delta says what all that were joined to it say. */
function recordOf({ record, speech }: Item): ResponseRecord | EventRecord {
  if (record.kind !== 'event' || speech === null || speech.parts.length === 1) return record;
  return { ...record, payload: { ...speech.delta, text: speech.parts.join('') } };
}

function speechOf(record: EventRecord): Speech | null {
  if (record.event !== 'turn.assistant_delta') return null;
  const delta = turnAssistantDelta.safeParse(record.payload).data;
  if (delta === undefined) return null;
  const { text } = delta;
  return { delta, parts: [text], raw: byteLength(text), encoded: encodedBytes(text) - 2 };
}

/** Whether two deltas as one keep the bounds of a string and of a payload ("Limits"). */
function fitsOne(first: Speech, second: Speech): boolean {
  const payload = encodedBytes(second.delta) + first.encoded;
  return first.raw + second.raw <= LIMITS.max_string_bytes && payload <= LIMITS.max_payload_bytes;
}

function isSameGrant(first: Item['record'], second: EventRecord): boolean {
  return first.kind === 'event' && first.grant_generation === second.grant_generation;
}

function isAnnounced({ record, speech }: Item, placing: EventRecord): boolean {
  const announced = speech?.delta.envelope_id;
  if (announced === undefined || !isSameGrant(record, placing)) return false;
  return sessionEnvelopeEvent.safeParse(placing.payload).data?.envelope.id === announced;
}

/** Of one turn, envelope and voice. */
function isSameSpeech(a: TurnAssistantDelta, b: TurnAssistantDelta): boolean {
  const isSame = a.turn_id === b.turn_id && a.envelope_id === b.envelope_id;
  return isSame && a.thinking === b.thinking && a.subagent === b.subagent;
}
