/** The saved history of the open session, kept in step with what is shown, however the service tells it. */
import type { Connection } from '../client/connection.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { titled } from './updates.ts';

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

export interface Past {
  /** Another session: nothing was read of it yet. */
  reset(): void;
  /** Takes a coming try back. */
  stop(): void;
  /**
   * Reads what is new. A refusal is told and tried again later.
   * @throws WireFailure link_lost
   */
  reconcile(connection: Connection, sessionId: string): Promise<void>;
}

/** Turning the pages of a session that is too long to be held whole. What it does shows in `State.edges`. */
export interface PastPages {
  /** Where the reader is: a block, or null who follows the end. What is far from there may be let go. */
  follow(reader: string | null): void;
  /** Reads messages before those that are held. */
  earlier(): Promise<void>;
  /** Reads messages behind those that are held. */
  later(): Promise<void>;
  /** Goes back to where the session begins, however long it takes. False when that was interrupted or failed. */
  beginning(): Promise<boolean>;
  /** Ends a way to the beginning. */
  interrupt(): void;
}

/** A session without a title is called by its first message. */
export function nameSession(store: Store<State>): void {
  const { edges, history, live, session } = store.getState();
  if (session === null || session.title !== '' || (edges.above !== 'none' && edges.above !== 'beginning'))
    return;
  const first = [...history, ...(live?.blocks ?? [])].find((block) => block.kind === 'user');
  if (first?.kind === 'user') store.update(titled(first.text.split('\n', 1)[0] ?? ''));
}
