/**
 * Which session is open: the one that was asked for at the start, another, or a new one (PROTOCOL.md, "Sessions").
 * Invariant: what is typed stays with the session that it was typed for.
 */
import type { Connection } from '../client/connection.ts';
import type { WireFailure } from '../client/failure.ts';
import type { Drafts } from './drafts.ts';
import type { Hold } from './hold.ts';
import { loadSessions } from './session-list.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import type { TellingPast } from './telling-past.ts';
import { noticed, sessionOpened } from './updates.ts';

/** No session is asked for: one is made for the first message. */
export const NEW = 'new';

export interface OpeningParts {
  readonly store: Store<State>;
  readonly hold: Hold;
  readonly drafts: Drafts;
  readonly past: TellingPast;
  readonly report: (failure: WireFailure) => void;
  /** What to open first: a session ID, `last` for the newest one, or `new`. */
  readonly target: string;
}

export class Opening {
  readonly #parts: OpeningParts;
  #target: string;

  constructor(parts: OpeningParts) {
    this.#parts = parts;
    this.#target = parts.target;
  }

  /** Shows another session; null for a new one. */
  async show(session: { readonly id: string; readonly title: string } | null): Promise<void> {
    const { drafts, hold } = this.#parts;
    await hold.release();
    // Whoever goes elsewhere no longer waits for the first one.
    if (this.#target !== NEW) this.#reachTarget();
    drafts.leave();
    this.#present(session);
    drafts.restore();
  }

  /** Shows the session that was asked for when the program started; once. */
  async showTarget(connection: Connection): Promise<void> {
    const { report, store } = this.#parts;
    const target = this.#target;
    if (target === NEW) return;
    const failure = await loadSessions(store, connection);
    // It is asked for again on the next link.
    if (failure?.code === 'link_lost') return;
    const { rows } = store.getState().sessions;
    const row = target === 'last' ? rows[0] : rows.find((entry) => entry.id === target);
    if (row !== undefined) this.#present(row);
    else if (failure !== null) report(failure);
    else store.update(noticed(absent(target), 'warn'));
    this.#reachTarget();
  }

  /** A session was made for the message that waits. */
  created(sessionId: string): void {
    const { drafts, past, store } = this.#parts;
    store.update((state) => ({
      ...sessionOpened({ id: sessionId, title: '', control: 'none' })(state),
      historyState: 'complete',
      choices: state.choices,
    }));
    drafts.moveToSession();
    past.begin();
  }

  /** From here on the session that is open is what was asked for. */
  #reachTarget(): void {
    this.#target = NEW;
    this.#parts.drafts.join();
  }

  #present(session: { readonly id: string; readonly title: string } | null): void {
    const { past, store } = this.#parts;
    past.reset();
    store.update(
      sessionOpened(session === null ? null : { id: session.id, title: session.title, control: 'none' }),
    );
  }
}

function absent(target: string): string {
  return target === 'last' ? 'There is no session yet.' : `There is no session ${target}: F2 lists them.`;
}
