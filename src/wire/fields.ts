/** Small schemas that every domain shares. */
import * as z from 'zod';
import { byteLength, type Json } from './json.ts';
import { LIMITS } from './limits.ts';

/** A string of at most `max` UTF-8 bytes. */
export const boundedString = (max: number) =>
  z.string().refine((text) => byteLength(text) <= max, `longer than ${max} bytes`);

export const id = boundedString(LIMITS.max_id_bytes).refine((text) => text.length > 0, 'empty');
export const name = boundedString(LIMITS.max_name_bytes);
export const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);
export const generation = z.int().positive().max(Number.MAX_SAFE_INTEGER);
/** A number whose bound is told as a limit, not as a wrong shape: also beyond what a double holds exactly. */
export const anyCount = z.number().refine((value) => Number.isInteger(value) && value >= 0, 'not a count');
export const text = boundedString(LIMITS.max_string_bytes);
export const empty = z.strictObject({});

/** Letters, digits and `-._/:`, at most 256 bytes: provider and model IDs. */
export const selectionId = z.string().regex(/^[A-Za-z0-9\-._/:]{1,256}$/);

export const wireError = z.object({ code: name, message: boundedString(LIMITS.max_error_message_bytes) });
export type WireError = z.infer<typeof wireError>;

export const limitMap = z.record(z.string(), z.int().positive().max(Number.MAX_SAFE_INTEGER));

/** Any JSON, already checked by strict decoding; the member must be there. */
export const json = z.custom<Json>((value) => value !== undefined);
