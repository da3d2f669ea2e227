/** A compaction of earlier messages as activity tells it, on either kind of connection (PROTOCOL.md, "Activity"). */
import type { Activity } from '../wire/activity.ts';

export interface Compaction {
  /** Unix time at which we heard of it, ms. */
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
}

/** The compaction after one more activity; the same value when it tells nothing of one. `now` is Unix time, ms. */
export function withCompaction(
  before: Compaction | null,
  activity: Activity,
  now: number,
): Compaction | null {
  if (activity.kind !== 'compaction') return before;
  const open = before !== null && before.endedAt === null ? before : null;
  const startedAt = open?.startedAt ?? now;
  switch (activity.status) {
    case 'triggered':
    case 'running':
      return open ?? { startedAt, endedAt: null, status: 'running' };
    case 'completed':
    case 'failed':
    case 'cancelled':
      return { startedAt, endedAt: Math.max(now, startedAt), status: activity.status };
  }
}
