/**
 * Who works for whom in a turn, as ordinary activity tells it (PROTOCOL.md, "Activity"): parents are named when
 * something starts, and some of those starts are never told.
 */
import type { Activity } from '../wire/activity.ts';

interface Kinsman {
  /** Activity ID; null when none was told. */
  readonly parent: string | null;
  /** It is the work of a subagent. */
  readonly isTask: boolean;
}

/** By activity ID. */
export type Kin = Readonly<Record<string, Kinsman>>;

export const NO_KIN: Kin = {};

/** What is known after one more activity; the same value when it tells nothing new. */
export function withKin(kin: Kin, activity: Activity): Kin {
  const { activity_id: id, parent_activity_id: parent } = activity;
  const isTask = activity.kind === 'lifecycle' && activity.category === 'subagent_task';
  const known = Object.hasOwn(kin, id) ? kin[id] : undefined;
  if (parent === undefined && !isTask) return kin;
  const next = { parent: parent ?? known?.parent ?? null, isTask: isTask || known?.isTask === true };
  if (known?.parent === next.parent && known.isTask === next.isTask) return kin;
  return { ...kin, [id]: next };
}

/** Whether an activity is known to be the work of a subagent. */
export function isTask(kin: Kin, id: string): boolean {
  return Object.hasOwn(kin, id) && kin[id]?.isTask === true;
}

/** The activity ID of the subagent's work that an activity is a part of; null for the agent itself. */
export function taskOf(kin: Kin, id: string): string | null {
  const passed = new Set([id]);
  for (let at = parentOf(kin, id); at !== null && !passed.has(at); at = parentOf(kin, at)) {
    if (isTask(kin, at)) return at;
    passed.add(at);
  }
  return null;
}

function parentOf(kin: Kin, id: string): string | null {
  return Object.hasOwn(kin, id) ? (kin[id]?.parent ?? null) : null;
}
