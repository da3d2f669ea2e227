/**
 * Envelopes as the ordinary wire replays them (PROTOCOL.md, "Replay"): messages in parts, terminals, summaries.
 * Consecutive agent texts of one turn are one message, a tool call between them begins the next: texts are
 * stored in pieces so that they survive a crash, and joined here.
 * Invariants: items only ever follow; each cursor proves the whole prefix that leads to it. The answer of a
 * turn that still runs is left out: it would be regrouped, and its controller has it from the snapshot.
 */
import { createHash } from 'node:crypto';
import type { Envelope, UnknownEnvelope } from '../../transcript/envelope.ts';
import { REPLAY_PART_BYTES } from '../../wire/limits.ts';
import type { ReplayEvent } from '../../wire/session.ts';

export interface Projection {
  readonly events: readonly ReplayEvent[];
  /** Cursor before the first event. */
  readonly start: string;
}

type Item =
  | { readonly kind: 'message'; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'terminal'; readonly status: 'completed' | 'cancelled' | 'failed' };

type WithoutCursor<T> = T extends unknown ? Omit<T, 'cursor'> : never;

/** @param running ID of the turn that is at work right now, null when none is */
export function project(
  sessionId: string,
  envelopes: readonly (Envelope | UnknownEnvelope)[],
  running: string | null,
): Projection {
  let chain = createHash('sha256').update(`replay\0${sessionId}`).digest('hex');
  const start = `r1_0_${chain}`;
  const events: ReplayEvent[] = [];
  for (const item of itemsOf(envelopes, running)) {
    for (const event of partsOf(item)) {
      chain = createHash('sha256').update(chain).update(JSON.stringify(event)).digest('hex');
      events.push({ cursor: `r1_${events.length + 1}_${chain}`, ...event });
    }
  }
  return { events, start };
}

function itemsOf(envelopes: readonly (Envelope | UnknownEnvelope)[], running: string | null): Item[] {
  const items: Item[] = [];
  /** The turn whose answer is the last item and may still grow. */
  let growing: string | null = null;
  let before: Envelope | null = null;
  for (const envelope of envelopes) {
    // A subagent speaks to its caller.
    if (!isKnown(envelope) || envelope.subagent !== undefined) continue;
    const { ev, role, turn } = envelope;
    // What was said into a turn stands between its answers, and is left out as long as they are.
    if (ev.t === 'text' && ev.steer === true && turn === running) continue;
    const goesOn = isSameMessage(before, envelope);
    before = envelope;
    if (ev.t === 'text' && role === 'agent') {
      if (ev.thinking === true || turn === undefined || turn === running) continue;
      if (growing === turn) extendLast(items, ev.text);
      else items.push({ kind: 'message', role: 'assistant', text: ev.text });
      growing = turn;
      continue;
    }
    if (ev.t === 'tool-call-start' || role === 'user') growing = null;
    if (ev.t === 'text' && goesOn) extendLast(items, ev.text);
    else if (ev.t === 'text') items.push({ kind: 'message', role: 'user', text: ev.text });
    if (ev.t === 'service' && ev.summary === undefined) continue;
    if (ev.t === 'service') items.push({ kind: 'summary', text: ev.summary ?? '' });
    if (ev.t === 'turn-end') items.push({ kind: 'terminal', status: ev.status });
    growing = null;
  }
  return items;
}

/** A prompt that is longer than one envelope: neighbouring texts of the user for one turn are one message. */
export function isSameMessage(before: Envelope | null, envelope: Envelope): boolean {
  if (before === null || before.turn === undefined || before.turn !== envelope.turn) return false;
  return [before, envelope].every(({ ev, role }) => role === 'user' && ev.t === 'text' && ev.steer !== true);
}

function extendLast(items: Item[], text: string): void {
  const last = items.at(-1);
  if (last?.kind === 'message') items[items.length - 1] = { ...last, text: last.text + text };
}

const READ: ReadonlySet<string> = new Set(['text', 'tool-call-start', 'turn-end', 'service']);

/** Of the types that matter here, parsing has made sure. */
function isKnown(envelope: Envelope | UnknownEnvelope): envelope is Envelope {
  return READ.has(envelope.ev.t);
}

function partsOf(item: Item): WithoutCursor<ReplayEvent>[] {
  if (item.kind === 'terminal') return [item];
  const texts = cutUtf8(item.text, REPLAY_PART_BYTES);
  return texts.map((text, part) => ({ ...item, text, part, last_part: part === texts.length - 1 }));
}

/** A text as pieces of at most `max` bytes that begin and end between characters; at least one piece. */
export function cutUtf8(text: string, max: number): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const pieces: string[] = [];
  let start = 0;
  do {
    let end = Math.min(start + max, bytes.length);
    while (end < bytes.length && isContinuation(bytes[end])) end -= 1;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  } while (start < bytes.length);
  return pieces;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
