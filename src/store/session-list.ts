/** Past sessions, newest first although the wire lists them by ID (PROTOCOL.md, "Sessions"). */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { sessionPages } from '../client/list.ts';
import type { SessionSummary } from '../wire/session.ts';
import { choicesOf } from './session-choices.ts';
import type { SessionList, SessionRow, State } from './state.ts';
import type { Store } from './store.ts';

/** Loads the list page by page; every page can be used as soon as it is there. Never throws. */
export async function loadSessions(store: Store<State>, connection: Connection): Promise<WireFailure | null> {
  const show = (change: Partial<SessionList>): void =>
    store.update((state) => ({ ...state, sessions: { ...state.sessions, ...change } }));
  show({ loading: true, failure: '' });
  let rows: readonly SessionRow[] = [];
  let incomplete = false;
  try {
    for await (const page of sessionPages(connection)) {
      incomplete ||= page.incomplete;
      rows = newestFirst([...rows, ...page.sessions.map((summary) => rowOf(summary, store.getState()))]);
      show({ rows, incomplete });
    }
    show({ rows, incomplete, loading: false });
    return null;
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    show({ loading: false, failure: `${error.sentence} ${error.next}` });
    return error;
  }
}

function rowOf(summary: SessionSummary, state: State): SessionRow {
  const here = state.session?.id === summary.session_id && state.session.control === 'mine';
  const elsewhere = {
    'daemon-owned': 'elsewhere',
    busy: 'elsewhere',
    unowned: 'free',
    unknown: 'unknown',
  } as const;
  return {
    id: summary.session_id,
    title: summary.title ?? '',
    updatedAt: Date.parse(summary.updated_at),
    where: here ? 'here' : elsewhere[summary.ownership_hint],
    ...(summary.about === undefined ? {} : { choices: choicesOf(summary.about) }),
  };
}

function newestFirst(rows: readonly SessionRow[]): readonly SessionRow[] {
  return rows.toSorted((left, right) => right.updatedAt - left.updatedAt || left.id.localeCompare(right.id));
}
