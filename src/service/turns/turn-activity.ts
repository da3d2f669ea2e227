/** What an agent does, in the words of the wire: hashes and states, never arguments or results (PROTOCOL.md, "Activity"). */
import { createHash } from 'node:crypto';
import type { AgentEvent } from '../../agent/runtime.ts';
import type { Activity, LifecycleStatus } from '../../wire/activity.ts';
import { byteLength } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import { cutUtf8 } from '../sessions/replay-projection.ts';

type ToolStart = Extract<AgentEvent, { type: 'tool-start' }>;
type CompactionEvent = Extract<AgentEvent, { type: 'compaction' }>;
type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>;
/** What names a tool: of an MCP server, if it is of one. */
interface ToolId {
  readonly name: string;
  readonly server?: string | undefined;
}
type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/** Names that are the same everywhere and give nothing away. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'read',
  'list',
  'find',
  'grep',
  'write',
  'edit',
  'patch',
  'bash',
  'task',
]);
const SUMMARY_BYTES = 2_048;
const SUMMARY_INPUT_BYTES = 16_384;

/** Context and usage share one ID, within and across turns. */
const STREAM = { activity_id: hashed('stream', 'model-stream') };

export function contextActivity(
  tokens: number,
  window: number,
  request: number,
  source: 'fallback_estimate' | 'provider_exact',
): Activity {
  return {
    ...STREAM,
    kind: 'context',
    current_tokens: whole(tokens),
    max_tokens: whole(window),
    reasoning_tokens: null,
    request_sequence: request,
    source,
  };
}

export function usageActivity({ usage }: UsageEvent, request: number): Activity {
  return {
    ...STREAM,
    kind: 'usage',
    effective_input: whole(usage.inputTokens),
    output: whole(usage.outputTokens),
    cache_read: whole(usage.cacheReadTokens),
    cache_known: true,
    request_sequence: request,
    final_usage: true,
    source: 'provider_request',
  };
}

export function reasoningActivity(thinking: string): Activity {
  const tooLong = byteLength(thinking) > SUMMARY_INPUT_BYTES;
  const text = tooLong ? '' : (cutUtf8(thinking.toWellFormed(), SUMMARY_BYTES)[0] ?? '');
  const truncated = tooLong || text.length < thinking.length;
  return {
    activity_id: hashed('reasoning', 'model-stream'),
    kind: 'reasoning_summary',
    text,
    redacted: false,
    truncated,
  };
}

/** @param window tokens, null when unknown */
export function compactionActivity(
  { after, before, status }: CompactionEvent,
  window: number | null,
): Activity {
  return {
    activity_id: hashed('compaction', 'model-stream'),
    kind: 'compaction',
    status,
    current_tokens: whole(after ?? before),
    max_tokens: window === null ? null : whole(window),
    replay_required: false,
  };
}

export function toolStartActivities(start: ToolStart): Activity[] {
  const activity_id = hashed('activity', start.call);
  return [
    { activity_id, kind: 'lifecycle', category: 'tool', status: 'running', details_omitted: true },
    { activity_id, ...toolFields(start), status: 'running', timed_out: null },
  ];
}

/** @param tool as its start said it */
export function toolEndActivities(end: ToolEnd, tool: ToolId): Activity[] {
  const activity_id = hashed('activity', end.call);
  const status = STATUS[end.status];
  const notice =
    end.notice === undefined ? {} : { notice: cutUtf8(end.notice, LIMITS.max_error_message_bytes)[0] ?? '' };
  return [
    { activity_id, ...toolFields(tool), status, timed_out: timedOut(end, tool), ...notice },
    { activity_id, kind: 'lifecycle', category: 'activity', status, details_omitted: true },
  ];
}

/** Only a command has a time limit to tell of. */
function timedOut(end: ToolEnd, { name }: ToolId): boolean | null {
  if (end.timedOut) return true;
  return name === 'bash' && end.status !== 'denied' ? false : null;
}

const STATUS: Readonly<Record<ToolEnd['status'], LifecycleStatus>> = {
  ok: 'completed',
  error: 'failed',
  denied: 'failed',
  cancelled: 'cancelled',
};

function toolFields({ name, server }: ToolId) {
  return {
    kind: 'tool',
    tool_id: hashed('tool', name),
    tool_name: BUILT_IN.has(name) ? name : null,
    server_id: server === undefined ? null : hashed('server', server),
    transport: server !== undefined ? 'mcp' : BUILT_IN.has(name) ? 'local' : 'unknown',
    details_omitted: true,
  } as const;
}

function hashed(prefix: string, name: string): string {
  return `${prefix}-${createHash('sha256').update(name).digest('hex')}`;
}

function whole(tokens: number): number {
  return Math.max(0, Math.round(tokens));
}
