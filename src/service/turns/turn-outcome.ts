/** How a turn ended, from everything that may have ended it (PROTOCOL.md, "Turns"). Pure. */
import type { AgentEvent, Usage } from '../../agent/runtime.ts';
import { byteLength } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import type { TurnEnding } from './turn-record.ts';

/** Why a turn was told to stop; the first reason counts. */
export type Stop = 'cancelled' | 'output-limit' | 'persistence' | 'interrupted';

type End = Extract<AgentEvent, { type: 'end' }>;

export interface Circumstances {
  /** Everything so far is in the file. */
  readonly saved: boolean;
  readonly stop: Stop | null;
  /** Null when the agent said nothing of an end. */
  readonly ended: End | null;
  readonly usage: Usage | null;
}

export function outcomeOf({ ended, saved, stop, usage }: Circumstances): TurnEnding {
  if (!saved) return { status: 'failed', code: 'persistence_failed', usage };
  if (stop === 'output-limit') return { status: 'failed', code: 'output_limit_exceeded', usage };
  if (ended?.status === 'completed') return { status: 'completed', code: null, usage };
  if (stop === 'cancelled') return { status: 'cancelled', code: null, usage };
  if (ended?.status === 'cancelled' && stop === null) return { status: 'cancelled', code: null, usage };
  const isRefused = ended?.status === 'failed' && ended.refused === true;
  return { status: 'failed', code: 'internal_error', usage, isRefused, ...noticeOf(ended) };
}

/** Words of the agent that fit the wire. */
function noticeOf(ended: End | null): { notice?: string } {
  const notice = ended?.status === 'failed' ? ended.notice : undefined;
  if (notice === undefined || byteLength(notice) > LIMITS.max_error_message_bytes) return {};
  return { notice };
}
