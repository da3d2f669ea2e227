/** All sessions of the state root, page by page (PROTOCOL.md, "Sessions"). */
import type { ResultPayload } from '../wire/operations.ts';
import type { ListRequest } from '../wire/session.ts';
import type { Connection } from './connection.ts';
import { violation } from './failure.ts';

export type SessionPage = ResultPayload<'session.list'>;

/**
 * Pages in the order of session IDs, not of time. No frozen picture: start again to refresh.
 * @throws WireFailure limit_exceeded, session_unavailable, link_lost
 */
export function sessionPages(connection: Connection): AsyncGenerator<SessionPage, void, undefined> {
  return pages(connection, {});
}

/**
 * The same for sessions in the archive (PROTOCOL.md, "Session profile").
 * @throws WireFailure the same, and invalid_payload where the profile is not spoken
 */
export function archivedPages(connection: Connection): AsyncGenerator<SessionPage, void, undefined> {
  return pages(connection, { archived: true });
}

async function* pages(
  connection: Connection,
  which: Pick<ListRequest, 'archived'>,
): AsyncGenerator<SessionPage, void, undefined> {
  let after: string | null = null;
  while (true) {
    const page: SessionPage = await connection.request('session.list', { ...which, after });
    yield page;
    if (!page.truncated) return;
    if (page.next_after === null || page.next_after === after) {
      const wrong = violation('a list does not move on');
      connection.abort(wrong);
      throw wrong;
    }
    after = page.next_after;
  }
}
