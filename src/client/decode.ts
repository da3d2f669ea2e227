/** One line from the service to one envelope, all bounds checked first (PROTOCOL.md, "Records", "Envelopes", "Evolution"). */
import * as z from 'zod';
import { type EventEnvelope, outputEnvelope, type ResponseEnvelope } from '../wire/envelope.ts';
import { id } from '../wire/fields.ts';
import { encodedBytes, PAYLOAD_BOUNDS, parseStrict, withinBounds } from '../wire/json.ts';
import { LIMITS } from '../wire/limits.ts';
import { EVENTS } from '../wire/operations.ts';

export type Decoded =
  | { readonly kind: 'record'; readonly record: ResponseEnvelope | EventEnvelope }
  /** Fixed words, no content. */
  | { readonly kind: 'violation'; readonly detail: string };

/** A record is its payload one level deeper: unknown members are bounded before they are ignored. */
const RECORD_BOUNDS = { ...PAYLOAD_BOUNDS, depth: PAYLOAD_BOUNDS.depth + 1 };

export function decodeRecord(bytes: Uint8Array): Decoded {
  const parsed = parseStrict(bytes);
  if (!parsed.ok) return wrong(`a record cannot be read (${parsed.reason})`);
  if (!withinBounds(parsed.value, RECORD_BOUNDS)) return wrong('a record passes a limit');
  const envelope = outputEnvelope.safeParse(parsed.value);
  if (!envelope.success) return wrong('a record is no valid response or event');
  if (mayPassPayloadLimit(bytes) && encodedBytes(envelope.data.payload) > LIMITS.max_payload_bytes)
    return wrong('a payload passes the size limit');
  return { kind: 'record', record: envelope.data };
}

/** A number may be written shorter than it is encoded (`1e20`), nothing grows more than sixfold: small records need no count. */
function mayPassPayloadLimit(bytes: Uint8Array): boolean {
  return bytes.length * 6 > LIMITS.max_payload_bytes;
}

function wrong(detail: string): Decoded {
  return { kind: 'violation', detail };
}

const turnSlots = { sessionId: id, operationId: id, generation: z.int(), liveSequence: z.int() };
const loginSlots = { sessionId: z.null(), operationId: id, generation: z.null(), liveSequence: z.null() };

const turnEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('turn.started'), payload: EVENTS['turn.started'], ...turnSlots }),
  z.object({
    event: z.literal('turn.assistant_delta'),
    payload: EVENTS['turn.assistant_delta'],
    ...turnSlots,
  }),
  z.object({ event: z.literal('turn.activity'), payload: EVENTS['turn.activity'], ...turnSlots }),
  z.object({ event: z.literal('turn.terminal'), payload: EVENTS['turn.terminal'], ...turnSlots }),
]);
const loginEvent = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('auth.login.progress'),
    payload: EVENTS['auth.login.progress'],
    ...loginSlots,
  }),
  z.object({
    event: z.literal('auth.login.terminal'),
    payload: EVENTS['auth.login.terminal'],
    ...loginSlots,
  }),
]);
const wireEvent = z.discriminatedUnion('event', [turnEvent, loginEvent]);

/** An event of a turn: its checked payload and the slots that say whose it is. */
export type TurnWireEvent = z.infer<typeof turnEvent>;
/** Any event; those of a sign-in have no session. */
export type WireEvent = z.infer<typeof wireEvent>;

/** Null when the event is unknown, lacks a slot, has a wrong payload or contradicts itself. */
export function decodeEvent(envelope: EventEnvelope): WireEvent | null {
  const parsed = wireEvent.safeParse({
    event: envelope.event,
    payload: envelope.payload,
    sessionId: envelope.session_id,
    operationId: envelope.operation_id,
    generation: envelope.grant_generation,
    liveSequence: envelope.live_sequence,
  });
  if (!parsed.success) return null;
  const { payload, sessionId } = parsed.data;
  return 'session_id' in payload && payload.session_id !== sessionId ? null : parsed.data;
}
