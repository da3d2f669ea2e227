/**
 * Control over the open session, through links that come and go (PROTOCOL.md, "Claim", "Operations and lookup").
 * Invariants: nothing is created before there is something to say; control ends with its link; a claim whose
 * reply was lost is made anew on the next link; a creation whose reply was lost is looked up before another one.
 */
import type { Connection } from '../client/connection.ts';
import { localFailure, WireFailure } from '../client/failure.ts';
import { type OperationKey, settleOperation } from '../client/lookup.ts';
import type { Pause } from '../client/pause.ts';
import { type ControlEvent, type ControlledSession, claimSession } from '../client/session-control.ts';
import type { Snapshot } from '../wire/session.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { controlChanged } from './updates.ts';

export interface HoldParts {
  readonly store: Store<State>;
  readonly newOperationId: () => string;
  readonly pause: Pause;
  readonly onTurn: (event: ControlEvent) => void;
  /** A session was made for the message that waits. */
  readonly created: (sessionId: string) => void;
}

/** The service may not have seen yet that our old link is gone: pauses before claiming again, ms. */
const OWN_SHADOW_PAUSES = [50, 150];

export class Hold {
  readonly #parts: HoldParts;
  #connection: Connection | null = null;
  #control: ControlledSession | null = null;
  /** The session that was ours when the link ended. */
  #left: string | null = null;
  #creation: OperationKey | null = null;

  constructor(parts: HoldParts) {
    this.#parts = parts;
  }

  /** The present connection; null while the link is lost. */
  get connection(): Connection | null {
    return this.#connection;
  }

  get control(): ControlledSession | null {
    return this.#control;
  }

  arrive(connection: Connection): void {
    this.#connection = connection;
  }

  lose(): void {
    this.#left = this.#control?.sessionId ?? this.#left;
    this.#connection = null;
    this.#control = null;
    this.#parts.store.update(controlChanged('none'));
  }

  /** @throws WireFailure session_controlled, session_busy, session_unavailable, link_lost and others */
  async claim(sessionId: string): Promise<Snapshot> {
    const connection = this.#connected();
    const pauses = this.#left === sessionId ? OWN_SHADOW_PAUSES : [];
    this.#left = null;
    const control = await this.#claimPatiently(connection, sessionId, pauses);
    this.#take(connection, control);
    return control.snapshot;
  }

  /** Control of the open session, or of a new one. @throws WireFailure */
  async forSending(): Promise<ControlledSession> {
    if (this.#control !== null) return this.#control;
    const connection = this.#connected();
    const open = this.#parts.store.getState().session?.id;
    const sessionId = open ?? (await this.#create(connection));
    const control = await claimSession(connection, sessionId);
    this.#take(connection, control);
    return control;
  }

  /** Gives control back. @throws WireFailure */
  async release(): Promise<void> {
    const control = this.#control;
    this.#control = null;
    this.#left = null;
    if (control !== null) await control.detach();
  }

  #connected(): Connection {
    if (this.#connection === null) throw localFailure('link_lost');
    return this.#connection;
  }

  #take(connection: Connection, control: ControlledSession): void {
    if (this.#connection !== connection) throw localFailure('link_lost');
    this.#control = control;
    control.onEvent(this.#parts.onTurn);
    this.#parts.store.update(controlChanged('mine'));
  }

  async #claimPatiently(
    connection: Connection,
    sessionId: string,
    pauses: readonly number[],
  ): Promise<ControlledSession> {
    for (const ms of pauses) {
      try {
        return await claimSession(connection, sessionId);
      } catch (error) {
        if (!(error instanceof WireFailure) || error.code !== 'session_controlled') throw error;
        await this.#parts.pause(ms);
      }
    }
    return claimSession(connection, sessionId);
  }

  async #create(connection: Connection): Promise<string> {
    const sessionId = (await this.#madeBefore(connection)) ?? (await this.#make(connection));
    this.#parts.created(sessionId);
    return sessionId;
  }

  /** The session of a creation whose reply was lost, if it is known to have come about. */
  async #madeBefore(connection: Connection): Promise<string | null> {
    const key = this.#creation;
    if (key === null) return null;
    const fate = await settleOperation(connection, key, this.#parts.pause);
    this.#creation = null;
    if (fate === 'unknown' || fate === 'running' || fate.state !== 'terminal') return null;
    const made = fate.result?.session_id;
    return typeof made === 'string' ? made : null;
  }

  async #make(connection: Connection): Promise<string> {
    const operationId = this.#parts.newOperationId();
    try {
      const { session_id: made } = await connection.request('session.create', {}, { operationId });
      return made;
    } catch (error) {
      if (error instanceof WireFailure && error.uncertain)
        this.#creation = {
          instanceId: connection.service.instance_id,
          operationId,
          method: 'session.create',
          sessionId: null,
        };
      throw error;
    }
  }
}
