/** The three kinds of record (PROTOCOL.md, "Envelopes"). Requests are strict; output members we do not know are ignored. */
import * as z from 'zod';
import { anyCount, count, generation, id, json, name, wireError } from './fields.ts';

export const PROTOCOL_VERSION = 2;

export const control = z.strictObject({ grant_id: id, generation });
export type Control = z.infer<typeof control>;

/** An unsigned integer of 64 bits, as far as a double can tell. */
const wideCount = anyCount.refine((value) => value < 2 ** 64, 'too wide');

/** Types and slots only: the rules about which slot goes with which method are in `operations.ts`. */
export const requestEnvelope = z.strictObject({
  protocol_version: z.int().min(0).max(65_535),
  kind: z.string(),
  request_id: z.string(),
  instance_id: z.string().nullable(),
  connection_id: z.string().nullable(),
  session_id: z.string().nullable(),
  operation_id: z.string().nullable(),
  control: z.strictObject({ grant_id: z.string(), generation: wideCount }).nullable(),
  method: z.string(),
  payload: json,
});
export type RequestEnvelope = z.infer<typeof requestEnvelope>;

export const responseEnvelope = z.object({
  protocol_version: z.literal(PROTOCOL_VERSION),
  kind: z.literal('response'),
  instance_id: id,
  connection_id: id,
  request_id: id.nullable(),
  session_id: z.string().nullable(),
  operation_id: z.string().nullable(),
  method: z.string().nullable(),
  payload: json,
  error: wireError.nullable(),
});
export type ResponseEnvelope = z.infer<typeof responseEnvelope>;

export const eventEnvelope = z.object({
  protocol_version: z.literal(PROTOCOL_VERSION),
  kind: z.literal('event'),
  instance_id: id,
  connection_id: id,
  event_id: id,
  session_id: id.nullable(),
  operation_id: id.nullable(),
  grant_generation: generation.nullable(),
  live_sequence: count.nullable(),
  event: name,
  payload: json,
});
export type EventEnvelope = z.infer<typeof eventEnvelope>;

export const outputEnvelope = z.discriminatedUnion('kind', [responseEnvelope, eventEnvelope]);
