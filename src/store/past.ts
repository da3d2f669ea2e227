/**
 * Keeps the shown history in step with the saved one (PROTOCOL.md, "Replay").
 * Invariants: blocks before `#unconfirmed` came from replay or were confirmed by it, those after it were only
 * shown; a failed reading keeps what is shown and tries again, with growing pauses.
 */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { compareWords, HISTORY_START, type HistoryPlace, readHistory } from './history.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { historyFailed, historyRead, noticed, titled } from './updates.ts';

export interface PastParts {
  readonly store: Store<State>;
  /** The present connection; null while the link is lost. */
  readonly connection: () => Connection | null;
  /** Runs a job after those before it. */
  readonly enqueue: (job: () => Promise<void>) => void;
  /** Runs something after some ms; the returned function takes it back. */
  readonly later: (run: () => void, ms: number) => () => void;
  /** The history was read to its end. */
  readonly read: () => void;
}

const END_NOT_SAVED = 'The end of this answer was not saved.';
const NOT_SAVED = 'The service did not save this exchange.';
/** Pauses before a failed reading is tried again, ms; the last one repeats. */
const PAUSES = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
const LONGEST_PAUSE = 30_000;

export class Past {
  readonly #parts: PastParts;
  #place: HistoryPlace = HISTORY_START;
  #unconfirmed = 0;
  #failures = 0;
  #cancel: () => void = () => undefined;

  constructor(parts: PastParts) {
    this.#parts = parts;
  }

  /** Another session: nothing was read of it yet. */
  reset(): void {
    this.stop();
    this.#place = HISTORY_START;
    this.#unconfirmed = 0;
    this.#failures = 0;
  }

  /** Takes a coming try back. */
  stop(): void {
    this.#cancel();
    this.#cancel = () => undefined;
  }

  /**
   * Reads what history has after our place and lets it confirm or replace what was shown. A refusal is told
   * and tried again later.
   * @throws WireFailure link_lost
   */
  async reconcile(connection: Connection, sessionId: string): Promise<void> {
    this.stop();
    try {
      await this.#read(connection, sessionId);
      this.#failures = 0;
    } catch (error) {
      if (!(error instanceof WireFailure) || error.code === 'link_lost') throw error;
      this.#parts.store.update(historyFailed);
      this.#parts.store.update(noticed(`${error.sentence} ${error.next}`, 'warn'));
      this.#tryLater(sessionId);
      return;
    }
    this.#parts.read();
  }

  /** A session without a title is called by its first message. */
  nameSession(): void {
    const { session, history } = this.#parts.store.getState();
    if (session === null || session.title !== '') return;
    const first = history.find((block) => block.kind === 'user');
    if (first?.kind === 'user') this.#parts.store.update(titled(first.text.split('\n', 1)[0] ?? ''));
  }

  async #read(connection: Connection, sessionId: string): Promise<void> {
    const { store } = this.#parts;
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
    this.nameSession();
  }

  #tryLater(sessionId: string): void {
    const { connection, enqueue, later, store } = this.#parts;
    const pause = PAUSES[this.#failures] ?? LONGEST_PAUSE;
    this.#failures += 1;
    const again = async (): Promise<void> => {
      const link = connection();
      if (link !== null && store.getState().session?.id === sessionId) await this.reconcile(link, sessionId);
    };
    this.#cancel = later(() => enqueue(again), pause);
  }
}
