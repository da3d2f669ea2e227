/**
 * Every bound of the wire in one table (PROTOCOL.md, "Limits").
 * Local bounds hold whatever a peer advertises: a peer that needs more is refused before any mutation.
 */

/** The 32 limits that a service advertises. Bytes, milliseconds or counts, as the names say. */
export const LIMITS = {
  max_record_bytes: 65_536,
  max_payload_bytes: 32_768,
  max_error_message_bytes: 512,
  max_id_bytes: 128,
  max_name_bytes: 64,
  max_string_bytes: 16_384,
  max_json_depth: 32,
  max_array_items: 64,
  max_object_fields: 64,
  max_negotiation_items: 8,
  max_session_attachments: 16,
  max_session_page_items: 32,
  max_session_replay_page_bytes: 16_384,
  max_session_replay_window_bytes: 2_097_152,
  max_session_list_scan_entries: 20_000,
  max_catalog_page_items: 32,
  max_connections: 16,
  handshake_timeout_ms: 5_000,
  max_inflight_requests: 32,
  request_timeout_ms: 30_000,
  max_active_turns: 16,
  max_operation_entries: 256,
  operation_retention_ms: 600_000,
  operation_tombstone_ms: 600_000,
  max_snapshot_bytes: 24_576,
  max_queued_records: 64,
  max_queued_bytes: 262_144,
  write_timeout_ms: 5_000,
  max_auth_operations: 1,
  max_config_operations: 1,
  idle_shutdown_ms: 60_000,
  startup_grace_ms: 10_000,
} as const;

export type LimitName = keyof typeof LIMITS;

/** Limits whose advertised value must not exceed ours: more would be output that we cannot hold. */
export const CONSUMED_LIMITS: readonly LimitName[] = [
  'max_record_bytes',
  'max_payload_bytes',
  'max_error_message_bytes',
  'max_id_bytes',
  'max_name_bytes',
  'max_string_bytes',
  'max_json_depth',
  'max_array_items',
  'max_object_fields',
  'max_session_replay_page_bytes',
  'max_snapshot_bytes',
];

/** The smaller of what a service advertises and what we hold. */
export function limitOf(advertised: Readonly<Record<string, number>>, name: LimitName): number {
  return Math.min(LIMITS[name], advertised[name] ?? LIMITS[name]);
}

/** Handshake line, bytes without the newline. */
export const MAX_HANDSHAKE_BYTES = 4_096;
/** All replies of one turn together, raw UTF-8 bytes. */
export const MAX_TURN_TEXT_BYTES = 16_384;
/** All replies of one turn together, as a JSON string, bytes. */
export const MAX_TURN_TEXT_ENCODED_BYTES = 19_971;
/** A message or summary in replay is cut into parts of at most this many bytes. */
export const REPLAY_PART_BYTES = 2_048;
/** A reasoning summary, bytes. */
export const MAX_SUMMARY_BYTES = 2_048;
/** Nesting at which a record is no longer JSON to us. */
export const MAX_PARSE_DEPTH = 127;
/** A client keeps at most this many requests in flight; the service closes at 33. */
export const CLIENT_WINDOW = 16;
