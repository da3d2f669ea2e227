/** What the service would refuse is not sent (PROTOCOL.md, "Limits"). */
import type { InitializeResult } from '../wire/initialize.ts';
import { encodedBytes, type Json, PAYLOAD_BOUNDS, withinBounds } from '../wire/json.ts';
import { type LimitName, limitOf } from '../wire/limits.ts';
import { refusal, type WireFailure } from './failure.ts';

/** Null when a request may be sent; the smaller of both sides' limits counts. */
export function checkPayload(payload: unknown, service: InitializeResult): WireFailure | null {
  const limit = (name: LimitName) => limitOf(service.limits, name);
  const bounds = {
    ...PAYLOAD_BOUNDS,
    stringBytes: limit('max_string_bytes'),
    items: limit('max_array_items'),
    fields: limit('max_object_fields'),
  };
  // Request payloads are plain JSON by their schemas.
  if (!withinBounds(payload as Json, bounds)) return refusal({ code: 'limit_exceeded' });
  return encodedBytes(payload) > limit('max_payload_bytes') ? refusal({ code: 'payload_too_large' }) : null;
}
