/** The history in the way of the present service: envelopes where it speaks them, replay where it does not. */
import type { Connection } from '../client/connection.ts';
import type { EnvelopeEvent } from '../client/session-control.ts';
import { speaksEnvelopes } from '../client/session-profile.ts';
import { EnvelopePast } from './envelope-past.ts';
import type { Past, PastPages, PastParts } from './past.ts';
import { ReplayPast } from './replay-past.ts';
import { NO_EDGES, type State } from './state.ts';
import type { Store } from './store.ts';

export class TellingPast implements Past {
  readonly #store: Store<State>;
  readonly #replay: ReplayPast;
  readonly #envelopes: EnvelopePast;

  constructor(parts: PastParts) {
    this.#store = parts.store;
    this.#replay = new ReplayPast(parts);
    this.#envelopes = new EnvelopePast(parts);
  }

  /** Another service may tell what happens in another way: then its history is read anew. */
  listenTo(connection: Connection): void {
    const telling = speaksEnvelopes(connection) ? 'envelopes' : 'activity';
    if (telling === this.#store.getState().telling) return;
    this.reset();
    this.#store.update((state) => ({ ...state, telling, live: null, history: [], edges: NO_EDGES }));
  }

  /** Ordinary replay is short enough to be held whole: there are no edges, and no page is ever asked for. */
  get pages(): PastPages {
    return this.#envelopes;
  }

  reset(): void {
    this.#replay.reset();
    this.#envelopes.reset();
  }

  stop(): void {
    this.#replay.stop();
    this.#envelopes.stop();
  }

  /** The session was made just now: nothing lies before what comes next. */
  begin(): void {
    this.#envelopes.begin();
  }

  /** An envelope that an event brought. */
  take(event: EnvelopeEvent): void {
    this.#envelopes.take(event);
  }

  /** Runs a step behind the envelopes that came before it. */
  afterPages(step: () => void): void {
    this.#envelopes.afterPages(step);
  }

  async reconcile(connection: Connection, sessionId: string): Promise<void> {
    const past = this.#store.getState().telling === 'envelopes' ? this.#envelopes : this.#replay;
    await past.reconcile(connection, sessionId);
  }
}
