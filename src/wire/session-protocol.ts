/**
 * The profile `session_protocol_v2`: session envelopes, steering, permissions (PROTOCOL.md, "Session profile").
 * An envelope is bounded JSON here; what it means is the transcript's business.
 */
import * as z from 'zod';
import { boundedString, count, id, json, selectionId, text } from './fields.ts';
import { LIMITS } from './limits.ts';

export const SESSION_PROTOCOL = 'session_protocol_v2';

/** What the embedded service advertises, and the most that our client can hold. Bytes, ms or counts. */
export const SESSION_PROTOCOL_LIMITS = {
  envelope_version: 2,
  max_envelope_bytes: 24_576,
  max_text_bytes: 12_288,
  max_turn_text_bytes: 4_194_304,
  max_page_items: 32,
  max_page_bytes: 28_672,
  max_tool_output_bytes: 12_288,
  max_attachment_bytes: 10_485_760,
  max_attachments_per_turn: 8,
  permission_timeout_ms: 600_000,
} as const;

export const permissionMode = z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan']);
export type PermissionMode = z.infer<typeof permissionMode>;
export const decision = z.enum(['allow-once', 'allow-always', 'deny']);
export type Decision = z.infer<typeof decision>;

const positive = z.int().positive();
export const sessionProtocol = z.object({
  envelope_version: z.literal(2),
  max_envelope_bytes: positive,
  max_text_bytes: positive,
  max_turn_text_bytes: positive,
  max_page_items: positive,
  max_page_bytes: positive,
  max_tool_output_bytes: positive,
  max_attachment_bytes: positive,
  max_attachments_per_turn: positive,
  permission_timeout_ms: positive,
  permission_modes: z.array(z.string()).max(LIMITS.max_array_items),
  decisions: z.array(z.string()).max(LIMITS.max_array_items),
});

const cursor = boundedString(LIMITS.max_id_bytes).refine((value) => value.length > 0, 'empty');
const optionalCursor = cursor.nullable().optional();
export const wireEnvelope = z.record(z.string(), json);
export type WireEnvelope = z.infer<typeof wireEnvelope>;

export const envelopesRequest = z.strictObject({
  before: optionalCursor,
  after: optionalCursor,
  limit: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type EnvelopesRequest = z.infer<typeof envelopesRequest>;
export const placedEnvelope = z.object({ cursor, envelope: wireEnvelope });
export type PlacedEnvelope = z.infer<typeof placedEnvelope>;
export const envelopesResult = z.object({
  envelopes: z.array(placedEnvelope).max(SESSION_PROTOCOL_LIMITS.max_page_items),
  first_cursor: cursor.nullable(),
  last_cursor: cursor.nullable(),
  has_earlier: z.boolean(),
  has_later: z.boolean(),
  gap: z.boolean(),
  resync_required: z.boolean(),
});
export type EnvelopesResult = z.infer<typeof envelopesResult>;

export const searchRequest = z.strictObject({
  query: z.string(),
  after: optionalCursor,
  limit: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export const searchHit = z.object({
  session_id: id,
  title: text.nullable(),
  cursor,
  /** Unix time, ms. */
  time: count,
  snippet: text,
});
export type SearchHit = z.infer<typeof searchHit>;
export const searchResult = z.object({
  hits: z.array(searchHit).max(SESSION_PROTOCOL_LIMITS.max_page_items),
  next_after: cursor.nullable(),
  truncated: z.boolean(),
});

export const renameRequest = z.strictObject({ title: z.string() });
export const renameResult = z.object({ session_id: id, title: text });
export const forkRequest = z.strictObject({ through: cursor.nullable() });
export const forkResult = z.object({ session_id: id });
export const archiveRequest = z.strictObject({ archived: z.boolean() });
export const archiveResult = z.object({ session_id: id, archived: z.boolean() });

const selection = z.strictObject({ provider_id: selectionId, model_id: selectionId });
export const configureRequest = z.strictObject({
  permission_mode: permissionMode.optional(),
  selection: selection.optional(),
  thinking_level: z.string().optional(),
  sandbox: z.boolean().optional(),
});
export type ConfigureRequest = z.infer<typeof configureRequest>;
/** What holds for this session from its next turn on. */
export const sessionConfiguration = z.object({
  permission_mode: permissionMode,
  selection: z.object({ provider_id: z.string(), model_id: z.string() }),
  thinking_level: z.string(),
  sandbox: z.boolean(),
  /** What would confine commands on this machine; null when nothing can. */
  sandbox_kind: z.string().nullable(),
});
export type SessionConfiguration = z.infer<typeof sessionConfiguration>;
export const configureResult = z.object({ effective: sessionConfiguration });

export const attachFileRequest = z.strictObject({ path: z.string() });
export const attachFileResult = z.object({
  ref: id,
  name: text,
  size: count,
  mime_type: z.string(),
  image: z.object({ width: count, height: count, thumbhash: z.string() }).nullable(),
});

export const steerRequest = z.strictObject({ turn_id: id, text });
export const steerResult = z.object({ turn_id: id, envelope_id: id, status: z.literal('accepted') });
export const permissionResponseRequest = z.strictObject({ turn_id: id, call: id, decision });
export const permissionResponseResult = z.object({ call: id, status: z.literal('accepted') });

export const toolOutputRequest = z.strictObject({ call: id, offset: count, limit: count });
export const toolOutputResult = z.object({
  call: id,
  offset: count,
  text,
  next_offset: count.nullable(),
  total_bytes: count,
});

export const sessionEnvelopeEvent = z
  .object({
    turn_id: id.nullable(),
    sequence: count.nullable(),
    cursor,
    envelope: wireEnvelope,
  })
  .refine(({ sequence, turn_id }) => (sequence === null) === (turn_id === null), 'half a place in a turn');
