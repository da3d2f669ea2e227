import { unlessAborted } from '../abortable.ts';
import type { PermissionAnswer, PermissionAsk } from '../runtime.ts';
import type { Question, ToolOutput, ToolSetting } from './tool.ts';

/**
 * The questions of one tool call. Invariants: nothing counts as allowed unless the answer says so; the abort of
 * the turn ends every wait at once, whatever the one who is asked does.
 */
export interface Gate {
  ask(question: Question): Promise<ToolOutput | null>;
  /** How long answers were waited for, in ms. */
  readonly waitedMs: number;
  /** Who allowed what was asked; absent when nothing was asked, or a person allowed a part of it. */
  readonly approvedBy: 'rule' | 'mode' | undefined;
}

/** What every question of a call says about the call. */
export type AskingCall = Pick<PermissionAsk, 'call' | 'toolName' | 'args'>;

export function createGate(call: AskingCall, setting: ToolSetting): Gate {
  const { permit, signal } = setting;
  const allowedBy = new Set<'mode' | 'rule' | 'user'>();
  let waitedMs = 0;
  return {
    async ask(question) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      try {
        const answer = await unlessAborted(permit({ ...call, ...question }, signal), signal);
        return settle(answer, allowedBy);
      } finally {
        waitedMs += performance.now() - startedAt;
      }
    },
    get waitedMs() {
      return waitedMs;
    },
    get approvedBy() {
      if (allowedBy.has('user')) return undefined;
      if (allowedBy.has('rule')) return 'rule';
      return allowedBy.has('mode') ? 'mode' : undefined;
    },
  };
}

function settle(answer: PermissionAnswer, allowedBy: Set<'mode' | 'rule' | 'user'>): ToolOutput | null {
  if (!answer.allowed) return { status: 'denied', output: answer.output, notice: answer.notice };
  allowedBy.add(answer.by);
  return null;
}
