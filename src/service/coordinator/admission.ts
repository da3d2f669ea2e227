/**
 * The part of the ladder that needs nothing but the request itself (PROTOCOL.md, "Errors"):
 * version, identities, payload bounds, method, slots, prompt. The order is the protocol's.
 */
import { PROTOCOL_VERSION, type RequestEnvelope } from '../../wire/envelope.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import { byteLength, encodedBytes, PAYLOAD_BOUNDS, withinBounds } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import { ALL_OPERATIONS, type AnyMethod, isMethod, isProfileMethod } from '../../wire/operations.ts';
import { turnStartRequest } from '../../wire/turn.ts';

export type Admission =
  | { readonly ok: true; readonly method: AnyMethod }
  | { readonly ok: false; readonly code: ErrorCode };

/** @param profile whether the connection negotiated the session profile */
export function admit(request: RequestEnvelope, profile: boolean): Admission {
  const refusal = checkEnvelope(request);
  if (refusal !== null) return { ok: false, code: refusal };
  const { method } = request;
  if (!isMethod(method) && !isProfileMethod(method)) return { ok: false, code: 'unsupported_operation' };
  if (!slotsFit(request, method)) return { ok: false, code: 'invalid_payload' };
  const prompt = method === 'turn.start' ? checkPrompt(request, profile) : null;
  return prompt === null ? { ok: true, method } : { ok: false, code: prompt };
}

function checkEnvelope(request: RequestEnvelope): ErrorCode | null {
  if (request.protocol_version !== PROTOCOL_VERSION) return 'unsupported_version';
  const ids = [request.request_id, request.instance_id, request.connection_id];
  const fit = [...ids, request.session_id, request.operation_id].every(isId);
  if (request.kind !== 'request' || !fit) return 'invalid_request';
  if (byteLength(request.method) > LIMITS.max_name_bytes) return 'invalid_request';
  if (!withinBounds(request.payload, PAYLOAD_BOUNDS)) return 'limit_exceeded';
  return encodedBytes(request.payload) > LIMITS.max_payload_bytes ? 'payload_too_large' : null;
}

function isId(value: string | null): boolean {
  return value === null || (value !== '' && byteLength(value) <= LIMITS.max_id_bytes);
}

function slotsFit(request: RequestEnvelope, method: AnyMethod): boolean {
  const needs = ALL_OPERATIONS[method];
  const { control } = request;
  if (needs.mutation !== (request.operation_id !== null)) return false;
  if (needs.session !== (request.session_id !== null)) return false;
  if (needs.control !== (control !== null)) return false;
  if (control === null) return true;
  const { generation, grant_id } = control;
  return isId(grant_id) && generation > 0 && generation <= Number.MAX_SAFE_INTEGER;
}

/** White space as Unicode has it: `\s` differs. */
const BLANK = /^\p{White_Space}*$/u;
const SIDE = /^\p{White_Space}*\/side(\p{White_Space}|$)/u;

/** `/side` alone or with text is another program's feature; other slash texts are plain prompts. */
function checkPrompt(request: RequestEnvelope, profile: boolean): ErrorCode | null {
  const parsed = turnStartRequest.safeParse(request.payload);
  if (!parsed.success || BLANK.test(parsed.data.prompt)) return 'invalid_payload';
  const { application, attachments, prompt } = parsed.data;
  if (attachments !== undefined && !profile) return 'invalid_payload';
  if (application !== undefined && (typeof application !== 'object' || Array.isArray(application)))
    return 'invalid_payload';
  return SIDE.test(prompt) ? 'unsupported_operation' : null;
}
