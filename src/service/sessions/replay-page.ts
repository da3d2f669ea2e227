/** One page of replay: bounded in items and bytes, continued from a cursor (PROTOCOL.md, "Replay"). */
import { byteLength, encodedBytes } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import type { ReplayEvent, ReplayResult } from '../../wire/session.ts';
import type { Projection } from './replay-projection.ts';

export interface PageOptions {
  readonly after: string | null;
  readonly limit: number;
  readonly gap: boolean;
}

export function pageOf(projection: Projection, options: PageOptions): ReplayResult {
  const { events, start } = projection;
  const { after, gap, limit } = options;
  const snapshot_cursor = events.at(-1)?.cursor ?? start;
  const from = after === null ? 0 : positionOf(projection, after);
  const empty = { events: [], next_cursor: start, snapshot_cursor, truncated: events.length > 0, gap };
  if (from === null) return { ...empty, resync_required: true };
  const page = fill(events.slice(from, from + limit), { ...empty, resync_required: false });
  const next_cursor = page.at(-1)?.cursor ?? after ?? start;
  const truncated = from + page.length < events.length;
  return { events: page, next_cursor, snapshot_cursor, truncated, gap, resync_required: false };
}

/** How many events a cursor covers; null when it is not a prefix of this projection. */
function positionOf({ events, start }: Projection, cursor: string): number | null {
  if (cursor === start) return 0;
  const index = Number(/^r1_(\d{1,9})_[0-9a-f]{64}$/.exec(cursor)?.[1] ?? Number.NaN);
  return events[index - 1]?.cursor === cursor ? index : null;
}

/** As many events as fit; the frame is counted with its longest cursor. */
function fill(events: readonly ReplayEvent[], frame: ReplayResult): ReplayEvent[] {
  const longest = events.at(-1)?.cursor ?? frame.next_cursor;
  const fixed = encodedBytes({ ...frame, events: [], next_cursor: longest, truncated: false });
  let room = LIMITS.max_session_replay_page_bytes - fixed;
  const page: ReplayEvent[] = [];
  for (const event of events) {
    room -= byteLength(JSON.stringify(event)) + 1;
    if (room < 0) break;
    page.push(event);
  }
  return page;
}
