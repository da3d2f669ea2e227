/** What a service may send: our own bounds until it has advertised smaller ones (PROTOCOL.md, "Limits"). */
import { byteLength, type Json, type JsonBounds, PAYLOAD_BOUNDS } from '../wire/json.ts';
import { LIMITS, type LimitName, limitOf } from '../wire/limits.ts';

export interface OutputBounds {
  /** A record with its LF. */
  readonly recordBytes: number;
  readonly payloadBytes: number;
  readonly idBytes: number;
  readonly payload: JsonBounds;
}

export const LOCAL_BOUNDS: OutputBounds = {
  recordBytes: LIMITS.max_record_bytes,
  payloadBytes: LIMITS.max_payload_bytes,
  idBytes: LIMITS.max_id_bytes,
  payload: PAYLOAD_BOUNDS,
};

const NAMES: readonly LimitName[] = [
  'max_record_bytes',
  'max_payload_bytes',
  'max_id_bytes',
  'max_json_depth',
  'max_array_items',
  'max_object_fields',
  'max_string_bytes',
];

/** The smaller of both sides' bounds; `LOCAL_BOUNDS` itself when none of the advertised ones is smaller. */
export function outputBounds(advertised: Readonly<Record<string, number>>): OutputBounds {
  if (NAMES.every((name) => limitOf(advertised, name) === LIMITS[name])) return LOCAL_BOUNDS;
  return {
    recordBytes: limitOf(advertised, 'max_record_bytes'),
    payloadBytes: limitOf(advertised, 'max_payload_bytes'),
    idBytes: limitOf(advertised, 'max_id_bytes'),
    payload: {
      depth: limitOf(advertised, 'max_json_depth'),
      items: limitOf(advertised, 'max_array_items'),
      fields: limitOf(advertised, 'max_object_fields'),
      stringBytes: limitOf(advertised, 'max_string_bytes'),
    },
  };
}

/** Members that name who a record is about. Provider and model IDs have a length of their own. */
const IDS: ReadonlySet<string> = new Set([
  'request_id',
  'instance_id',
  'connection_id',
  'session_id',
  'operation_id',
  'event_id',
  'turn_id',
  'grant_id',
  'login_id',
]);

/** Whether every such ID in a record is short enough. Recursion is safe: the record's depth was checked before. */
export function shortIds(value: Json, bytes: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) =>
    typeof item === 'string' && IDS.has(key) ? byteLength(item) <= bytes : shortIds(item, bytes),
  );
}
