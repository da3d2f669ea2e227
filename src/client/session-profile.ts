/** Reading a session's envelopes (PROTOCOL.md, "Session profile"). */
import { type EnvelopesResult, SESSION_PROTOCOL } from '../wire/session-protocol.ts';
import type { Connection } from './connection.ts';
import { violation, type WireFailure } from './failure.ts';

/** Whether a connection tells what happens in envelopes. */
export function speaksEnvelopes(connection: Connection): boolean {
  return connection.service.capabilities.negotiated_capabilities?.includes(SESSION_PROTOCOL) === true;
}

/**
 * Pages behind a cursor up to the present end. A page with `resync_required` says that the cursor is void; nothing follows it.
 * @throws WireFailure session_unavailable, link_lost and others
 */
export async function* laterEnvelopes(
  connection: Connection,
  sessionId: string,
  start: string,
): AsyncGenerator<EnvelopesResult, void, undefined> {
  let cursor = start;
  while (true) {
    const page = await connection.request('session.envelopes', { after: cursor }, { sessionId });
    yield page;
    if (page.resync_required || !page.has_later) return;
    if (page.last_cursor === null || page.last_cursor === cursor) throw stuck(connection);
    cursor = page.last_cursor;
  }
}

/**
 * The page before a cursor, or the newest one for null, then those before it, newest first. A page with
 * `resync_required` says that the cursor is void; nothing follows it.
 * @throws WireFailure session_unavailable, link_lost and others
 */
export async function* earlierEnvelopes(
  connection: Connection,
  sessionId: string,
  end: string | null = null,
): AsyncGenerator<EnvelopesResult, void, undefined> {
  let cursor = end;
  while (true) {
    const page: EnvelopesResult = await connection.request(
      'session.envelopes',
      { before: cursor },
      { sessionId },
    );
    yield page;
    if (page.resync_required || !page.has_earlier) return;
    if (page.first_cursor === null || page.first_cursor === cursor) throw stuck(connection);
    cursor = page.first_cursor;
  }
}

/** A stretch of what a tool printed, from a byte on; `next` is null at the end. */
export interface OutputStretch {
  readonly text: string;
  readonly next: number | null;
  /** Bytes. */
  readonly total: number;
}

/** @throws WireFailure session_unavailable, link_lost and others; the code says so when nothing is kept of the call */
export async function readOutput(
  connection: Connection,
  sessionId: string,
  call: string,
  offset: number,
): Promise<OutputStretch> {
  const limit = connection.service.capabilities.session_protocol?.max_tool_output_bytes ?? 0;
  const payload = { call, offset, limit };
  const {
    next_offset: next,
    text,
    total_bytes: total,
  } = await connection.request('tool.output', payload, {
    sessionId,
  });
  return { text, next, total };
}

function stuck(connection: Connection): WireFailure {
  const wrong = violation('pages of envelopes do not move on');
  connection.abort(wrong);
  return wrong;
}
