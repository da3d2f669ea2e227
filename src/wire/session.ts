/** `session.*` operations, snapshots and replay pages (PROTOCOL.md, "Sessions", "Claim", "Replay"). */
import * as z from 'zod';
import { anyCount, boundedString, count, generation, id, text } from './fields.ts';
import { LIMITS, REPLAY_PART_BYTES } from './limits.ts';
import { permissionMode } from './session-protocol.ts';
import { turnStatus, turnTerminal } from './turn.ts';

/** Shape only: the bounds of a page are a `limit_exceeded`, not an `invalid_payload`. */
export const pageRequest = z.strictObject({
  after: z.string().nullable().optional(),
  limit: anyCount.optional(),
});
export type PageRequest = z.infer<typeof pageRequest>;

/** Session profile: the archive is listed on its own. Without the profile the member is unknown. */
export const listRequest = pageRequest.extend({ archived: z.boolean().optional() });
export type ListRequest = z.infer<typeof listRequest>;

export const ownershipHint = z.enum(['daemon-owned', 'busy', 'unowned', 'unknown']);

/** Session profile: what the stream of a session says about the session as a whole. */
export const sessionAbout = z.object({
  /** Who held control last, and since when (Unix time, ms). */
  holder: z.object({ client_type: z.string(), time: count }).nullable(),
  permission_mode: permissionMode,
  /** Null: as the settings say. */
  selection: z.object({ provider_id: z.string(), model_id: z.string() }).nullable(),
  /** Null: as the settings say. */
  thinking_level: z.string().nullable(),
  /** Of all turns; `cost` in US dollars, as far as prices are known. */
  usage: z.object({
    input_tokens: count,
    output_tokens: count,
    cache_read_tokens: count,
    cost: z.number().nonnegative(),
  }),
});
export type SessionAbout = z.infer<typeof sessionAbout>;

export const sessionSummary = z.object({
  session_id: id,
  title: text.nullable(),
  updated_at: z.iso.datetime({ offset: true }),
  ownership_hint: ownershipHint,
  about: sessionAbout.optional(),
});
export type SessionSummary = z.infer<typeof sessionSummary>;

function areDistinct(sessions: readonly { readonly session_id: string }[]): boolean {
  return new Set(sessions.map(({ session_id }) => session_id)).size === sessions.length;
}

export const sessionListResult = z.object({
  sessions: z
    .array(sessionSummary)
    .max(LIMITS.max_session_page_items)
    .refine(areDistinct, 'a repeated session'),
  next_after: id.nullable(),
  truncated: z.boolean(),
  incomplete: z.boolean(),
});

export const sessionCreateResult = z.object({ session_id: id });

export const phase = z.enum(['idle', 'running', 'persisting', 'cleaning']);
export type Phase = z.infer<typeof phase>;

export const activeSession = z
  .object({
    session_id: id,
    controlled: z.boolean(),
    phase,
    turn_id: id.nullable(),
  })
  .refine((value) => value.phase !== 'idle' || value.turn_id === null, 'a turn in an idle session')
  .refine((value) => value.phase !== 'running' || value.turn_id !== null, 'no turn in a running session');
export const sessionActiveResult = z.object({
  sessions: z.array(activeSession).max(LIMITS.max_array_items).refine(areDistinct, 'a repeated session'),
});

export const snapshotTurn = z.object({
  turn_id: id,
  operation_id: id,
  assistant_text: text,
  sequence: count,
  activity_dropped: count,
  replay_required: z.literal(false),
  /** Session profile: what was said and stands in no envelope yet. */
  pending: z
    .object({ envelope_id: id, text, thinking: z.boolean(), subagent: id.optional() })
    .nullable()
    .optional(),
});
export const snapshotTerminal = turnTerminal.safeExtend({ operation_id: id });
export const snapshot = z
  .object({
    instance_id: id,
    session_id: id,
    live_sequence: count,
    phase,
    turn: snapshotTurn.nullable(),
    terminal: snapshotTerminal.nullable(),
    activity_replay_available: z.literal(false),
  })
  .refine((value) => (value.phase === 'idle') === (value.turn === null), 'a turn exists exactly outside idle')
  .refine((value) => value.phase === 'idle' || value.terminal === null, 'a terminal exists only in idle')
  .refine(
    ({ terminal, session_id }) => terminal === null || terminal.session_id === session_id,
    'a terminal of another session',
  );
export type Snapshot = z.infer<typeof snapshot>;

export const claimResult = z.object({ grant_id: id, generation, snapshot });
export type ClaimResult = z.infer<typeof claimResult>;
export const detachResult = z.object({ status: z.literal('detached') });

const cursor = boundedString(LIMITS.max_id_bytes);
const part = { text: boundedString(REPLAY_PART_BYTES), part: count, last_part: z.boolean() };
export const replayEvent = z.discriminatedUnion('kind', [
  z.object({ cursor, kind: z.literal('message'), role: z.enum(['user', 'assistant']), ...part }),
  z.object({ cursor, kind: z.literal('summary'), ...part }),
  z.object({
    cursor,
    kind: z.literal('terminal'),
    status: z.enum([...turnStatus.options, 'compaction_required']),
  }),
]);
export type ReplayEvent = z.infer<typeof replayEvent>;

export const replayResult = z.object({
  events: z.array(replayEvent).max(LIMITS.max_session_page_items),
  next_cursor: cursor,
  snapshot_cursor: cursor,
  truncated: z.boolean(),
  gap: z.boolean(),
  resync_required: z.boolean(),
});
export type ReplayResult = z.infer<typeof replayResult>;
