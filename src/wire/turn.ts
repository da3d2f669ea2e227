/** `turn.*` operations and events (PROTOCOL.md, "Turns"). */
import * as z from 'zod';
import { activity } from './activity.ts';
import { boundedString, count, id, json, text, type WireError, wireError } from './fields.ts';
import { LIMITS } from './limits.ts';

export const turnStartRequest = z.strictObject({
  prompt: text,
  application: json.optional(),
  /** Session profile: files that were attached before. */
  attachments: z
    .array(z.strictObject({ ref: id }))
    .max(8)
    .optional(),
});
export const turnStartResult = z.object({ turn_id: id, status: z.literal('accepted') });
export const turnCancelRequest = z.strictObject({ turn_id: id });
export const turnCancelResult = z.object({
  turn_id: id,
  session_id: id,
  status: z.literal('cancellation_requested'),
});

export const turnStatus = z.enum(['completed', 'cancelled', 'failed']);
export const persistence = z.enum(['committed', 'failed']);

interface Ending {
  readonly status: z.infer<typeof turnStatus>;
  readonly persistence: z.infer<typeof persistence>;
  readonly error: WireError | null;
}

/** An error exactly when the turn failed, and `persistence_failed` exactly when it was not saved. */
export function isEnding({ error, persistence, status }: Ending): boolean {
  const isUnsaved = error?.code === 'persistence_failed';
  return (status === 'failed') === (error !== null) && (persistence === 'failed') === isUnsaved;
}

export const turnStarted = z.object({
  turn_id: id,
  session_id: id,
  status: z.literal('started'),
  sequence: z.literal(0),
});
export const turnAssistantDelta = z.object({
  turn_id: id,
  sequence: count,
  text,
  /** Session profile: the text envelope under construction, which replaces its deltas. */
  envelope_id: id.optional(),
  /** Session profile: not part of the answer. */
  thinking: z.boolean().optional(),
  /** Session profile: said by a subagent, not part of the answer. */
  subagent: id.optional(),
});
export const turnActivity = z.object({ turn_id: id, sequence: count, activity });
export const turnTerminal = z
  .object({
    turn_id: id,
    session_id: id,
    status: turnStatus,
    assistant_text: text,
    sequence: count,
    activity_dropped: count,
    activity_replay_available: z.literal(false),
    replay_required: z.literal(true),
    persistence,
    error: wireError.nullable(),
    /** Extension of the embedded service: what happened and what to do, in fixed words. */
    notice: boundedString(LIMITS.max_error_message_bytes).optional(),
    /** Session profile: the text was too long for this record and stands in the envelopes alone. */
    text_in_envelopes: z.literal(true).optional(),
  })
  .refine(isEnding, 'status, persistence and error contradict each other');
export type TurnAssistantDelta = z.infer<typeof turnAssistantDelta>;
export type TurnTerminal = z.infer<typeof turnTerminal>;
