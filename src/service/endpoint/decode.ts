/** From the bytes of one line to a request, or to the refusal and whatever can be echoed (PROTOCOL.md, "Envelopes"). */
import { type RequestEnvelope, requestEnvelope } from '../../wire/envelope.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import { byteLength, type Json, parseStrict } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';

/** The identities that a response repeats; null where the request had none or an unusable one. */
export interface Echo {
  readonly request_id: string | null;
  readonly session_id: string | null;
  readonly operation_id: string | null;
  readonly method: string | null;
}

export type Decoded =
  | { readonly ok: true; readonly request: RequestEnvelope; readonly echo: Echo }
  | { readonly ok: false; readonly code: ErrorCode; readonly echo: Echo };

const NOTHING: Echo = { request_id: null, session_id: null, operation_id: null, method: null };

export function decode(bytes: Uint8Array): Decoded {
  const parsed = parseStrict(bytes);
  if (!parsed.ok) return { ok: false, code: 'invalid_json', echo: NOTHING };
  const echo = echoOf(parsed.value);
  const request = requestEnvelope.safeParse(parsed.value);
  if (!request.success) return { ok: false, code: 'invalid_request', echo };
  return { ok: true, request: request.data, echo };
}

function echoOf(value: Json): Echo {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOTHING;
  const members = new Map(Object.entries(value));
  return {
    request_id: usable(members.get('request_id'), LIMITS.max_id_bytes),
    session_id: usable(members.get('session_id'), LIMITS.max_id_bytes),
    operation_id: usable(members.get('operation_id'), LIMITS.max_id_bytes),
    method: usable(members.get('method'), LIMITS.max_name_bytes),
  };
}

function usable(value: Json | undefined, max: number): string | null {
  return typeof value === 'string' && value !== '' && byteLength(value) <= max ? value : null;
}
