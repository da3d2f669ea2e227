/** Reading a session's durable history (PROTOCOL.md, "Replay"). */
import type { ReplayEvent, ReplayResult } from '../wire/session.ts';
import { whileBusy } from './busy.ts';
import type { Connection } from './connection.ts';
import { violation, type WireFailure } from './failure.ts';
import { type Pause, realPause } from './pause.ts';

/** A history that changes under our hands more often than this is given up. */
const MAX_RESTARTS = 4;

/**
 * Pages after a cursor up to the present end. A page with `resync_required` says that everything read before
 * it is void; the pages behind it start from the beginning.
 * @throws WireFailure session_unavailable, session_busy (after several tries), link_lost and others
 */
export async function* replayPages(
  connection: Connection,
  sessionId: string,
  start: string | null,
  pause: Pause = realPause,
): AsyncGenerator<ReplayResult, void, undefined> {
  let cursor = start;
  let restarts = 0;
  while (true) {
    const after = cursor;
    const read = () => connection.request('session.replay', { after }, { sessionId });
    const page = await whileBusy(read, ['session_busy'], pause);
    const stuck = page.resync_required
      ? page.events.length > 0
      : page.truncated && page.next_cursor === cursor;
    if (stuck || restarts > MAX_RESTARTS) throw abandon(connection);
    yield page;
    if (!page.resync_required && !page.truncated) return;
    if (page.resync_required) restarts += 1;
    cursor = page.resync_required ? null : page.next_cursor;
  }
}

function abandon(connection: Connection): WireFailure {
  const wrong = violation('a replay does not move on');
  connection.abort(wrong);
  return wrong;
}

/** A whole item of the history; `cursor` is that of its last part. */
export type HistoryItem =
  | {
      readonly cursor: string;
      readonly kind: 'message';
      readonly role: 'user' | 'assistant';
      readonly text: string;
    }
  | { readonly cursor: string; readonly kind: 'summary'; readonly text: string }
  | Extract<ReplayEvent, { kind: 'terminal' }>;

type PartEvent = Exclude<ReplayEvent, { kind: 'terminal' }>;

/**
 * Joins the parts of messages and summaries over all pages. An item whose last part has not been read
 * yet is left out: reading on from the last item's cursor brings all of it.
 */
export function collectMessages(events: Iterable<ReplayEvent>): HistoryItem[] {
  const items: HistoryItem[] = [];
  let texts: string[] = [];
  for (const event of events) {
    if (event.kind === 'terminal') {
      texts = [];
      items.push(event);
      continue;
    }
    if (event.part === 0) texts = [];
    texts.push(event.text);
    if (event.last_part) {
      items.push(itemOf(event, texts.join('')));
      texts = [];
    }
  }
  return items;
}

function itemOf(event: PartEvent, text: string): HistoryItem {
  const { cursor } = event;
  return event.kind === 'summary'
    ? { cursor, kind: 'summary', text }
    : { cursor, kind: 'message', role: event.role, text };
}
