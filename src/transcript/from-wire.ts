/**
 * The wire's words as envelopes (PROTOCOL.md, "Activity", "Replay").
 * Ordinary wire hides tool arguments and results: what it does not say stays empty here, never guessed.
 */
import type { Activity } from '../wire/activity.ts';
import type { Envelope, ToolStatus } from './envelope.ts';
import { isTask, type Kin, taskOf } from './kin.ts';

/** What an adapter needs to know beside the activity itself. */
export interface ActivityContext {
  /** Fresh envelope ID. */
  readonly newId: () => string;
  /** Unix time, ms. */
  readonly now: number;
  /** Envelope turn ID. */
  readonly turn: string;
  /** Who works for whom. */
  readonly kin: Kin;
}

/** Envelopes that an activity stands for: none for counters and for stages that a reader need not see. */
export function envelopesOfActivity(activity: Activity, context: ActivityContext): Envelope[] {
  const task = taskOf(context.kin, activity.activity_id);
  const by = task === null ? {} : { subagent: callOf(task, context) };
  const head = { id: context.newId(), time: context.now, role: 'agent', turn: context.turn, ...by } as const;
  const call = callOf(activity.activity_id, context);
  switch (activity.kind) {
    case 'tool':
      return toolEnvelopes(activity, head, call);
    case 'lifecycle':
      return lifecycleEnvelopes(activity, head, call, isTask(context.kin, activity.activity_id));
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

/** The call that an activity stands for, and the ID of the subagent whose work it is. */
function callOf(activityId: string, { turn }: Pick<ActivityContext, 'turn'>): string {
  return `${turn}-${activityId}`;
}

interface Head {
  readonly id: string;
  readonly time: number;
  readonly role: 'agent';
  readonly turn: string;
  readonly subagent?: string;
}

const ENDS = { completed: 'ok', failed: 'error', cancelled: 'cancelled' } as const satisfies Record<
  string,
  ToolStatus
>;

/** Of a subagent's work the beginning and the end; of everything else the end, as the result may not have been told. */
function lifecycleEnvelopes(
  { status }: Extract<Activity, { kind: 'lifecycle' }>,
  head: Head,
  call: string,
  isWork: boolean,
): Envelope[] {
  switch (status) {
    case 'queued':
    case 'running':
    case 'writing':
      return isWork ? [{ ...head, ev: { t: 'subagent-start', agentId: call } }] : [];
    case 'completed':
    case 'failed':
    case 'cancelled':
      return [{ ...head, ev: { t: 'tool-call-end', call, status: ENDS[status] } }];
  }
}

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
      const status = activity.notice === undefined ? ENDS[activity.status] : 'denied';
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

/** The start of a call whose end is told but whose start was not: nobody knows when it was. */
export function untoldStart(activity: Activity, context: ActivityContext): Envelope[] {
  if (activity.kind !== 'tool') return [];
  const begun = envelopesOfActivity({ ...activity, status: 'running' }, context);
  return begun.map((start) => ({ ...start, time: 0 }));
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
