/**
 * Reads and saves settings (PROTOCOL.md, "Configuration").
 * Invariants: nothing is saved that nobody asked for, and nothing twice by itself: where the answer was lost, the
 * settings are read again with the next link. One change at a time, in the order in which they were asked for.
 */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { speaksEnvelopes } from '../client/session-profile.ts';
import type { Notice } from './notice.ts';
import { type SavedSettings, type Scope, type SettingsChange, withSaved } from './saved-settings.ts';
import { savedWords } from './settings-words.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

export interface SavingParts {
  readonly store: Store<State>;
  /** The present connection; null while the link is lost. */
  readonly connection: () => Connection | null;
  /** Runs something after some ms; the returned function takes it back. */
  readonly later: (run: () => void, ms: number) => () => void;
}

/** Between two looks at settings that others may change, ms. */
const FOLLOW_MS = 2_000;

const LOST = 'The link is lost: nothing was changed. Try again in a moment.';
const DOUBTFUL = 'The link was lost: whether it was saved shows when it is back.';

export class SavingSettings {
  readonly #parts: SavingParts;
  #work: Promise<unknown> = Promise.resolve();
  /** Changes that were asked for and are not over. */
  #open = 0;
  /** The answer to a change was lost. */
  #isDoubtful = false;

  constructor(parts: SavingParts) {
    this.#parts = parts;
  }

  /** Reads what counts now, and forgets what was said of an earlier change; a failure is said in its place. */
  async read(): Promise<void> {
    const connection = this.#parts.connection();
    if (connection === null) return;
    this.#say(null);
    try {
      await this.#read(connection);
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      if (error.code !== 'link_lost') this.#say({ text: `${error.sentence} ${error.next}`, tone: 'warn' });
    }
  }

  /** Forgets what was said of the last change. */
  forget(): void {
    this.#say(null);
  }

  /** Others change settings, too: what counts is read again, quietly, where that stands in nobody's way. */
  async look(): Promise<void> {
    const connection = this.#parts.connection();
    const { settings } = this.#parts.store.getState();
    if (connection === null || settings.pending !== null || !speaksEnvelopes(connection)) return;
    await this.#read(connection).catch((error: unknown) => {
      if (!(error instanceof WireFailure)) throw error;
    });
  }

  /** Looks again and again until the returned function is called. */
  follow(): () => void {
    let stop: () => void = () => undefined;
    const next = (): void => {
      stop = this.#parts.later(() => {
        next();
        void this.look();
      }, FOLLOW_MS);
    };
    next();
    return () => stop();
  }

  /** Saves, says what came of it in the state, and returns that. Never throws a WireFailure. */
  save(scope: Scope, change: SettingsChange): Promise<Notice> {
    // At once: the next key may go on from it.
    this.#open += 1;
    this.#update({ pending: change, said: null });
    const next = this.#work.then(() => this.#save(scope, change));
    this.#work = next.catch(() => undefined);
    return next;
  }

  /** There is a link again. @throws WireFailure */
  async arrive(connection: Connection): Promise<void> {
    if (!this.#isDoubtful) return;
    await this.#read(connection);
    this.#isDoubtful = false;
    this.#say({ text: 'The link is back: this is what the settings say now.', tone: 'info' });
  }

  async #save(scope: Scope, change: SettingsChange): Promise<Notice> {
    const said = await this.#set(scope, change, this.#parts.store.getState());
    this.#open -= 1;
    if (this.#open === 0) this.#update({ pending: null });
    this.#say(said);
    return said;
  }

  async #set(scope: Scope, change: SettingsChange, before: State): Promise<Notice> {
    const connection = this.#parts.connection();
    if (connection === null) return { text: LOST, tone: 'warn' };
    try {
      const { effective } = await connection.request('config.set', { scope, ...change });
      this.#parts.store.update((state) => ({
        ...state,
        config: effective,
        settings: withSaved(state.settings, scope, change),
      }));
      return savedWords(before, { change, effective, scope });
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      this.#isDoubtful ||= error.uncertain;
      if (error.uncertain) return { text: DOUBTFUL, tone: 'warn' };
      if (error.code === 'link_lost') return { text: LOST, tone: 'warn' };
      return { text: `Not saved. ${error.sentence} ${error.next}`, tone: 'warn' };
    }
  }

  async #read(connection: Connection): Promise<void> {
    const config = await connection.request('config.get', {});
    const isSame = JSON.stringify(config) === JSON.stringify(this.#parts.store.getState().config);
    if (!isSame) this.#parts.store.update((state) => ({ ...state, config }));
  }

  #say(said: Notice | null): void {
    this.#update({ said });
  }

  #update(part: Partial<SavedSettings>): void {
    this.#parts.store.update((state) => ({ ...state, settings: { ...state.settings, ...part } }));
  }
}
