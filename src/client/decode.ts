/** One line from the service to one envelope, all bounds checked first (PROTOCOL.md, "Records", "Envelopes", "Evolution"). */
import * as z from 'zod';
import { type EventEnvelope, outputEnvelope, type ResponseEnvelope } from '../wire/envelope.ts';
import { id } from '../wire/fields.ts';
import { encodedBytes, type Json, PAYLOAD_BOUNDS, parseStrict, withinBounds } from '../wire/json.ts';
import { EVENTS, PROFILE_EVENTS } from '../wire/operations.ts';
import { LOCAL_BOUNDS, type OutputBounds, shortIds } from './output-bounds.ts';

export type Decoded =
  | { readonly kind: 'record'; readonly record: ResponseEnvelope | EventEnvelope }
  /** Fixed words, no content. */
  | { readonly kind: 'violation'; readonly detail: string };

/** A record is its payload one level deeper: unknown members are bounded before they are ignored. */
const RECORD_BOUNDS = { ...PAYLOAD_BOUNDS, depth: PAYLOAD_BOUNDS.depth + 1 };
const LF_BYTES = 1;

/** @param bytes without the LF, which counts all the same */
export function decodeRecord(bytes: Uint8Array, bounds: OutputBounds = LOCAL_BOUNDS): Decoded {
  if (bytes.length + LF_BYTES > bounds.recordBytes) return wrong('a record is too long');
  const parsed = parseStrict(bytes);
  if (!parsed.ok) return wrong(`a record cannot be read (${parsed.reason})`);
  if (!withinBounds(parsed.value, RECORD_BOUNDS)) return wrong('a record passes a limit');
  const envelope = outputEnvelope.safeParse(parsed.value);
  if (!envelope.success) return wrong('a record is no valid response or event');
  const { payload } = envelope.data;
  if (mayPass(bytes, bounds.payloadBytes) && encodedBytes(payload) > bounds.payloadBytes)
    return wrong('a payload passes the size limit');
  if (bounds !== LOCAL_BOUNDS && !withinBounds(payload, bounds.payload))
    return wrong('a payload passes a limit that the service has set itself');
  if (bounds !== LOCAL_BOUNDS && !shortIds(parsed.value, bounds.idBytes))
    return wrong('an ID passes a limit that the service has set itself');
  return { kind: 'record', record: envelope.data };
}

/** A number may be written shorter than it is encoded (`1e20`), nothing grows more than sixfold: small records need no count. */
function mayPass(bytes: Uint8Array, limit: number): boolean {
  return bytes.length * 6 > limit;
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
const sessionEvent = z.object({
  event: z.literal('session.envelope'),
  payload: PROFILE_EVENTS['session.envelope'],
  ...turnSlots,
  operationId: id.nullable(),
});
const wireEvent = z.discriminatedUnion('event', [turnEvent, loginEvent, sessionEvent]);

/** An event of a turn: its checked payload and the slots that say whose it is. */
export type TurnWireEvent = z.infer<typeof turnEvent>;
/** An envelope of a session, inside a turn or between two. */
export type SessionWireEvent = z.infer<typeof sessionEvent>;
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
  return namesSession(envelope.payload, envelope.session_id) ? parsed.data : null;
}

/** A payload may leave its session out, also where the schema does not ask for one, but not name another. */
function namesSession(payload: Json, sessionId: string | null): boolean {
  const named: unknown = Reflect.get(Object(payload), 'session_id');
  return named === undefined || named === sessionId;
}
