/**
 * Checks that turn events follow a snapshot, the starts that were asked for, and each other
 * (PROTOCOL.md, "Claim", "Turns"). Only the controller starts turns: one that nobody here asked for cannot begin.
 */
import type { Snapshot } from '../wire/session.ts';
import type { SessionWireEvent, TurnWireEvent } from './decode.ts';

interface Start {
  /** Null until the response or the started event has named it. */
  turnId: string | null;
  /** The response and the event may come in either order; when both have come the start is forgotten. */
  hasBegun: boolean;
}

export class TurnOrder {
  #liveSequence: number;
  #turn: { readonly id: string; readonly operationId: string; sequence: number } | null;
  /** Starts that were asked for, by operation ID. */
  readonly #starts = new Map<string, Start>();

  constructor(snapshot: Snapshot) {
    const { turn } = snapshot;
    this.#liveSequence = snapshot.live_sequence;
    this.#turn =
      turn === null ? null : { id: turn.turn_id, operationId: turn.operation_id, sequence: turn.sequence };
  }

  /** A `turn.start` is on its way. */
  ask(operationId: string): void {
    this.#starts.set(operationId, { turnId: null, hasBegun: false });
  }

  /** The `turn.start` was accepted. Words that say what is wrong, or null. */
  accept(operationId: string, turnId: string): string | null {
    const start = this.#starts.get(operationId);
    if (start === undefined) return null;
    if (start.turnId !== null && start.turnId !== turnId) return 'an acceptance names another turn';
    start.turnId = turnId;
    if (start.hasBegun) this.#starts.delete(operationId);
    return null;
  }

  /** The `turn.start` was refused or could not be sent. */
  forget(operationId: string): void {
    this.#starts.delete(operationId);
  }

  /** How many events are missing before this one, or words that say why it cannot come here. */
  place(event: TurnWireEvent | SessionWireEvent): { readonly dropped: number } | string {
    if (event.liveSequence <= this.#liveSequence) return 'a session position does not increase';
    this.#liveSequence = event.liveSequence;
    const { turn_id: id, sequence } = event.payload;
    // An envelope between two turns.
    if (id === null || sequence === null || event.operationId === null) return { dropped: 0 };
    if (event.event === 'turn.started') return this.#begin(id, event.operationId) ?? { dropped: 0 };
    if (this.#turn === null) return 'an event comes outside a turn';
    if (this.#turn.id !== id || this.#turn.operationId !== event.operationId)
      return 'an event names another turn';
    if (sequence <= this.#turn.sequence) return 'a sequence does not increase';
    const dropped = sequence - this.#turn.sequence - 1;
    if (event.event === 'turn.terminal') this.#turn = null;
    else this.#turn.sequence = sequence;
    return { dropped };
  }

  #begin(id: string, operationId: string): string | null {
    if (this.#turn !== null) return 'a turn starts inside another';
    const start = this.#starts.get(operationId);
    if (start === undefined || start.hasBegun) return 'a turn starts that was not asked for';
    if (start.turnId !== null && start.turnId !== id) return 'an event names another turn';
    if (start.turnId !== null) this.#starts.delete(operationId);
    start.turnId = id;
    start.hasBegun = true;
    this.#turn = { id, operationId, sequence: 0 };
    return null;
  }
}
