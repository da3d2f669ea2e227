/**
 * Tool calls as envelopes, within the bounds of one (PROTOCOL.md, "Session profile").
 * Arguments, output and diff come from models and programs: all of it is shortened, none of it is believed.
 */
import type { AgentEvent, PermissionAsk } from '../../agent/runtime.ts';
import type { SessionEvent } from '../../transcript/envelope.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import { boundedArgs, boundedText, startOf } from './envelope-bounds.ts';

type ToolStart = Extract<AgentEvent, { type: 'tool-start' }>;
type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>;

const MAX_DIFF_ENCODED = 10_240;
const MAX_NOTICE_ENCODED = 512;
const NAME_BOUNDS = { raw: 128, encoded: 256 };
const TITLE_BOUNDS = { raw: 1_024, encoded: 1_536 };

export function toolStartEvent({ args, call, name, title }: ToolStart): SessionEvent {
  return {
    t: 'tool-call-start',
    call,
    name: startOf(name.toWellFormed(), NAME_BOUNDS),
    title: startOf(title.toWellFormed(), TITLE_BOUNDS),
    description: '',
    args: boundedArgs(args),
  };
}

/** A mode that allows leaves no word about it; a rule does. */
export function toolEndEvent(end: ToolEnd): SessionEvent {
  const { approvedBy, call, diff, durationMs, exitCode, notice, output, outputBytes, status } = end;
  return {
    t: 'tool-call-end',
    call,
    status,
    output: keptOutput(output),
    outputBytes,
    durationMs: Math.max(0, Math.round(durationMs)),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(diff === undefined ? {} : { diff: boundedText(diff, MAX_DIFF_ENCODED) }),
    ...(approvedBy === 'rule' ? { approvedBy } : {}),
    ...(notice === undefined ? {} : { notice: boundedText(notice, MAX_NOTICE_ENCODED) }),
  };
}

export function subagentStartEvent({
  agentId,
  title,
}: Extract<AgentEvent, { type: 'subagent-start' }>): SessionEvent {
  return { t: 'subagent-start', agentId, title: startOf(title.toWellFormed(), TITLE_BOUNDS) };
}

/** The part of an output that stands in the envelope. */
export function keptOutput(output: string): string {
  return boundedText(output, SESSION_PROTOCOL_LIMITS.max_tool_output_bytes);
}

/** @param rules what "always" would write down; empty when no rule can say it */
export function permissionRequestEvent(ask: PermissionAsk, rules: readonly string[]): SessionEvent {
  const { args, call, diff, title, toolName } = ask;
  const shown = diff === undefined ? args : { ...args, diff: boundedText(diff, MAX_DIFF_ENCODED) };
  return {
    t: 'permission-request',
    call,
    toolName: startOf(toolName.toWellFormed(), NAME_BOUNDS),
    title: startOf(title.toWellFormed(), TITLE_BOUNDS),
    description: '',
    args: boundedArgs({ ...shown, rules }),
  };
}
