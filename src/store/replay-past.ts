/**
 * The history as ordinary replay tells it (PROTOCOL.md, "Replay").
 * Invariant: blocks before `#unconfirmed` came from replay or were confirmed by it, those after it were only shown.
 */
import type { Connection } from '../client/connection.ts';
import { compareWords, HISTORY_START, type HistoryPlace, readHistory } from './history.ts';
import { nameSession, type Past, type PastParts } from './past.ts';
import { PatientReader } from './patient-reader.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { historyRead, noticed } from './updates.ts';

const END_NOT_SAVED = 'The end of this answer was not saved.';
const NOT_SAVED = 'The service did not save this exchange.';

export class ReplayPast implements Past {
  readonly #store: Store<State>;
  readonly #reader: PatientReader;
  #place: HistoryPlace = HISTORY_START;
  #unconfirmed = 0;

  constructor(parts: PastParts) {
    this.#store = parts.store;
    this.#reader = new PatientReader(parts, (connection, sessionId) => this.#read(connection, sessionId));
  }

  reset(): void {
    this.#reader.reset();
    this.#place = HISTORY_START;
    this.#unconfirmed = 0;
  }

  stop(): void {
    this.#reader.stop();
  }

  /** Reads what history has after our place and lets it confirm or replace what was shown. */
  async reconcile(connection: Connection, sessionId: string): Promise<void> {
    await this.#reader.read(connection, sessionId);
  }

  async #read(connection: Connection, sessionId: string): Promise<void> {
    const store = this.#store;
    const phase = store.getState().live === null ? 'settled' : 'running';
    const read = await readHistory(connection, sessionId, this.#place, phase);
    const { history } = store.getState();
    const from = read.restarted ? 0 : this.#unconfirmed;
    const shown = history.slice(from);
    const verdict = compareWords(shown, read.blocks);
    const state = read.gap ? 'gap' : 'complete';
    const confirmed = shown.length > 0 && verdict !== 'different';
    if (confirmed && verdict === 'shown-more') {
      if (phase === 'running') {
        // What is not saved yet may still be: it is read again once the turn has ended.
        store.update(historyRead(history, state));
        return;
      }
      const isKnown = read.blocks.some((block) => block.kind === 'user');
      store.update(noticed(isKnown ? END_NOT_SAVED : NOT_SAVED, 'warn'));
    }
    const blocks = confirmed ? history : [...history.slice(0, from), ...read.blocks];
    this.#place = read.place;
    this.#unconfirmed = blocks.length;
    store.update(historyRead(blocks, state));
    nameSession(store);
  }
}
