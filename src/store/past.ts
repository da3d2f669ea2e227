/**
 * Keeps the shown history in step with the saved one (PROTOCOL.md, "Replay").
 * Invariant: blocks before `#unconfirmed` came from replay or were confirmed by it; those after it were only shown.
 */
import type { Connection } from '../client/connection.ts';
import { compareWords, HISTORY_START, type HistoryPlace, readHistory } from './history.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { historyRead, noticed, titled } from './updates.ts';

const END_NOT_SAVED = 'The end of this answer was not saved.';
const NOT_SAVED = 'The service did not save this exchange.';

export class Past {
  readonly #store: Store<State>;
  #place: HistoryPlace = HISTORY_START;
  #unconfirmed = 0;

  constructor(store: Store<State>) {
    this.#store = store;
  }

  /** Another session: nothing was read of it yet. */
  reset(): void {
    this.#place = HISTORY_START;
    this.#unconfirmed = 0;
  }

  /**
   * Reads what history has after our place and lets it confirm or replace what was shown.
   * @throws WireFailure when replay fails; what is shown stays
   */
  async reconcile(connection: Connection, sessionId: string, phase: 'settled' | 'running'): Promise<void> {
    const read = await readHistory(connection, sessionId, this.#place, phase);
    const { history } = this.#store.getState();
    const from = read.restarted ? 0 : this.#unconfirmed;
    const shown = history.slice(from);
    const verdict = compareWords(shown, read.blocks);
    const confirmed = shown.length > 0 && verdict !== 'different';
    const blocks = confirmed ? history : [...history.slice(0, from), ...read.blocks];
    if (confirmed && verdict === 'shown-more' && phase === 'settled') {
      const isKnown = read.blocks.some((block) => block.kind === 'user');
      this.#store.update(noticed(isKnown ? END_NOT_SAVED : NOT_SAVED, 'warn'));
    }
    this.#place = read.place;
    this.#unconfirmed = blocks.length;
    this.#store.update(historyRead(blocks, read.gap ? 'gap' : 'complete'));
    this.nameSession();
  }

  /** A session without a title is called by its first message. */
  nameSession(): void {
    const { session, history } = this.#store.getState();
    if (session === null || session.title !== '') return;
    const first = history.find((block) => block.kind === 'user');
    if (first?.kind === 'user') this.#store.update(titled(first.text.split('\n', 1)[0] ?? ''));
  }
}
