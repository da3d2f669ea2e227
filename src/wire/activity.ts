/** Structured activity of a turn, one discriminated union (PROTOCOL.md, "Activity"). */
import * as z from 'zod';
import { boundedString, count, id } from './fields.ts';
import { LIMITS, MAX_SUMMARY_BYTES } from './limits.ts';

const head = { activity_id: id, parent_activity_id: id.optional() };

export const lifecycleStatus = z.enum(['queued', 'running', 'writing', 'completed', 'failed', 'cancelled']);
export type LifecycleStatus = z.infer<typeof lifecycleStatus>;

const lifecycle = z.object({
  ...head,
  kind: z.literal('lifecycle'),
  category: z.enum([
    'tool',
    'hook',
    'context_injection',
    'subagent_batch',
    'subagent_task',
    'assistant',
    'diagnostic',
    'compaction',
    'activity',
  ]),
  status: lifecycleStatus,
  details_omitted: z.literal(true),
});

const tool = z.object({
  ...head,
  kind: z.literal('tool'),
  tool_id: id,
  tool_name: z.string().nullable(),
  server_id: id.nullable(),
  transport: z.enum(['local', 'mcp', 'unknown']),
  status: lifecycleStatus,
  timed_out: z.boolean().nullable(),
  details_omitted: z.literal(true),
  /** Extension of the embedded service: a fixed sentence when a tool was not allowed to run. */
  notice: boundedString(LIMITS.max_error_message_bytes).optional(),
});

const reasoningSummary = z.object({
  ...head,
  kind: z.literal('reasoning_summary'),
  text: boundedString(MAX_SUMMARY_BYTES),
  redacted: z.boolean(),
  truncated: z.boolean(),
});

const context = z.object({
  ...head,
  kind: z.literal('context'),
  current_tokens: count,
  max_tokens: count,
  reasoning_tokens: count.nullable(),
  request_sequence: count,
  source: z.enum([
    'fallback_estimate',
    'tokenizer_estimate',
    'fallback_projection',
    'tokenizer_projection',
    'last_provider_usage',
    'provider_exact',
    'provider_partial',
  ]),
});

const usage = z.object({
  ...head,
  kind: z.literal('usage'),
  effective_input: count,
  output: count,
  cache_read: count,
  cache_known: z.boolean(),
  request_sequence: count,
  final_usage: z.boolean(),
  source: z.enum(['provider_request', 'subagent_aggregate']),
});

const compaction = z.object({
  ...head,
  kind: z.literal('compaction'),
  status: z.enum(['triggered', 'running', 'completed', 'failed', 'cancelled']),
  current_tokens: count.nullable(),
  max_tokens: count.nullable(),
  replay_required: z.boolean(),
});

export const activity = z.discriminatedUnion('kind', [
  lifecycle,
  tool,
  reasoningSummary,
  context,
  usage,
  compaction,
]);
export type Activity = z.infer<typeof activity>;
