/**
 * Reads along in a session that another window controls (PROTOCOL.md, "Claim", "Replay").
 * Reads only: nothing is claimed by looking. Says so once the session is free.
 */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import type { Past } from './past.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { controlChanged, noticed } from './updates.ts';

export interface WatchParts {
  readonly store: Store<State>;
  readonly past: Past;
  /** The present connection; null while the link is lost. */
  readonly connection: () => Connection | null;
  /** Runs a job after those before it. */
  readonly enqueue: (job: () => Promise<void>) => void;
  /** Runs something after some ms; the returned function takes it back. */
  readonly later: (run: () => void, ms: number) => () => void;
}

const LOOK_EVERY_MS = 2_000;
const FREE = 'The session is free: the next message takes it.';

export class Watch {
  readonly #parts: WatchParts;
  #cancel: () => void = () => undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Looks again and again for as long as the open session is controlled elsewhere. */
  start(): void {
    this.stop();
    this.#cancel = this.#parts.later(() => this.#parts.enqueue(() => this.#look()), LOOK_EVERY_MS);
  }

  stop(): void {
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { store, past, connection } = this.#parts;
    const link = connection();
    const { session } = store.getState();
    if (link === null || session === null || session.control !== 'other') return;
    try {
      const { sessions } = await link.request('session.active', {});
      const isHeld = sessions.some((entry) => entry.session_id === session.id && entry.controlled);
      await past.reconcile(link, session.id);
      if (isHeld) {
        this.start();
      } else {
        store.update(controlChanged('none'));
        store.update(noticed(FREE, 'info'));
      }
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      this.start();
    }
  }
}
