/**
 * The wire's words as envelopes (PROTOCOL.md, "Activity", "Replay").
 * Ordinary wire hides tool arguments and results: what it does not say stays empty here, never guessed.
 */
import type { Activity } from '../wire/activity.ts';
import type { Envelope } from './envelope.ts';

/** What an adapter needs to know beside the activity itself. */
export interface ActivityContext {
  /** Fresh envelope ID. */
  readonly newId: () => string;
  /** Unix time, ms. */
  readonly now: number;
  /** Envelope turn ID. */
  readonly turn: string;
}

/** Envelopes that an activity stands for: none for counters and for stages that a reader need not see. */
export function envelopesOfActivity(activity: Activity, context: ActivityContext): Envelope[] {
  const head = { id: context.newId(), time: context.now, role: 'agent', turn: context.turn } as const;
  const call = `${context.turn}-${activity.activity_id}`;
  switch (activity.kind) {
    case 'tool':
      return toolEnvelopes(activity, head, call);
    case 'lifecycle':
      if (activity.category !== 'subagent_task') return [];
      return [{ ...head, ev: { t: 'subagent-start', agentId: call, title: 'task' } }];
    case 'compaction':
      if (activity.status !== 'completed') return [];
      return [
        { ...head, ev: { t: 'service', kind: 'compaction', text: 'Earlier messages were summarised' } },
      ];
    case 'reasoning_summary':
      if (activity.text === '') return [];
      return [{ ...head, ev: { t: 'text', text: activity.text, thinking: true } }];
    case 'context':
    case 'usage':
      return [];
  }
}

type Head = { readonly id: string; readonly time: number; readonly role: 'agent'; readonly turn: string };

function toolEnvelopes(activity: Extract<Activity, { kind: 'tool' }>, head: Head, call: string): Envelope[] {
  const name = activity.tool_name ?? (activity.transport === 'mcp' ? 'mcp tool' : 'tool');
  switch (activity.status) {
    case 'queued':
    case 'running':
    case 'writing':
      return [{ ...head, ev: { t: 'tool-call-start', call, name, title: '', description: '', args: {} } }];
    case 'completed':
    case 'failed':
    case 'cancelled': {
      const status =
        activity.notice !== undefined
          ? ('denied' as const)
          : ({ completed: 'ok', failed: 'error', cancelled: 'cancelled' } as const)[activity.status];
      const notice = activity.notice ?? (activity.timed_out === true ? 'timed out' : undefined);
      return [
        {
          ...head,
          ev: { t: 'tool-call-end', call, status, ...(notice === undefined ? {} : { notice }) },
        },
      ];
    }
  }
}

/** A whole replayed item: its parts joined (PROTOCOL.md, "Replay"). */
export type ReplayItem =
  | {
      readonly kind: 'message';
      readonly cursor: string;
      readonly role: 'user' | 'assistant';
      readonly text: string;
    }
  | { readonly kind: 'summary'; readonly cursor: string; readonly text: string }
  | {
      readonly kind: 'terminal';
      readonly cursor: string;
      readonly status: 'completed' | 'cancelled' | 'failed' | 'compaction_required';
    };

/** Where a replayed turn stands between two pages. */
export interface ReplayPosition {
  readonly turn: string;
  /** An assistant message of this turn was seen: the next one is a paragraph of its own. */
  readonly answered: boolean;
}

export const REPLAY_START: ReplayPosition = { turn: 'r0', answered: false };

/**
 * Envelopes of replayed items. IDs come from cursors, so replaying again gives equal envelopes;
 * `time` is 0 because replay does not tell it.
 */
export function envelopesOfReplay(
  items: readonly ReplayItem[],
  from: ReplayPosition,
): { envelopes: Envelope[]; position: ReplayPosition } {
  let position = from;
  const envelopes: Envelope[] = [];
  for (const item of items) {
    const id = idOfCursor(item.cursor);
    if (item.kind === 'message' && item.role === 'user') {
      position = { turn: id, answered: false };
      envelopes.push({ id, time: 0, role: 'user', ev: { t: 'text', text: item.text } });
      continue;
    }
    const head = { id, time: 0, role: 'agent', turn: position.turn } as const;
    if (item.kind === 'message') {
      const text = position.answered ? `\n\n${item.text}` : item.text;
      envelopes.push({ ...head, ev: { t: 'text', text } });
      position = { ...position, answered: true };
    } else if (item.kind === 'summary') {
      envelopes.push({
        ...head,
        ev: { t: 'service', kind: 'compaction', text: 'Summary', summary: item.text },
      });
    } else if (item.status === 'compaction_required') {
      envelopes.push({ ...head, ev: { t: 'service', kind: 'error', text: 'The context window is full.' } });
    } else {
      envelopes.push({ ...head, ev: { t: 'turn-end', status: item.status } });
    }
  }
  return { envelopes, position };
}

/** A stable envelope ID from an opaque cursor: letters and digits of its end. */
function idOfCursor(cursor: string): string {
  const tail = cursor
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, '')
    .slice(-30);
  return `r${tail}`;
}
