/**
 * What a person can say into a running turn (PROTOCOL.md, "Turns", "Session profile").
 * Invariants: a stop without a reply can be asked for again; words that did not arrive come back or wait, and
 * are never said twice.
 */
import { WireFailure } from '../client/failure.ts';
import type { ControlledSession } from '../client/session-control.ts';
import type { Decision } from '../wire/session-protocol.ts';
import { backToDraft } from './outbox.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { noticed, stopForgotten, stopRequested, wordsReturned } from './updates.ts';

export interface TurnControlsParts {
  readonly store: Store<State>;
  /** Control of the open session; null without it. */
  readonly control: () => ControlledSession | null;
  /** Keeps the outbox durably. */
  readonly keep: () => void;
  /** Sends a message of its own, after the turn. */
  readonly send: (text: string) => void;
  readonly report: (error: unknown) => void;
}

const STOP_LOST = 'The link was lost: the stop may not have arrived. Esc asks again.';
const STEER_LOST = 'It is not known whether these words arrived: they are back in the draft.';

export class TurnControls {
  readonly #parts: TurnControlsParts;
  /** A stop that got no reply yet. */
  #stopAsked = false;

  constructor(parts: TurnControlsParts) {
    this.#parts = parts;
  }

  /** Asks the running turn to stop; queued messages go back to the draft. */
  stop(): void {
    const { control, keep, report, store } = this.#parts;
    const { live, outbox } = store.getState();
    if (live === null || live.stopping) return;
    store.update(stopRequested);
    const waiting = outbox.filter((item) => item.state === 'queued');
    store.update((state) => backToDraft(state, waiting));
    keep();
    this.#stopAsked = true;
    const session = control();
    if (session !== null) this.#cancel(session, live.turnId).catch(report);
  }

  /** The turn runs on, seen over another link: a stop that got no reply may have been lost. */
  resumed(turn: 'runs' | 'none'): void {
    const { store } = this.#parts;
    if (this.#stopAsked && turn === 'runs') {
      store.update(stopForgotten);
      store.update(noticed(STOP_LOST, 'warn'));
    }
    this.#stopAsked = false;
  }

  /** Answers the question that has waited longest. */
  answer(decision: Decision): void {
    const { control, report, store } = this.#parts;
    const { live } = store.getState();
    const question = live?.envelopes?.questions[0];
    if (live === null || question === undefined) return;
    control()
      ?.answer(live.turnId, question.call, decision)
      .catch((error: unknown) => {
        if (failureOf(error).code !== 'unknown_turn') report(error);
      });
  }

  /** Puts words to the running turn; where that is not possible they wait for its end. */
  steer(text: string): void {
    const { control, send, store } = this.#parts;
    const { live } = store.getState();
    const session = control();
    if (live === null || live.envelopes === null || session === null) send(text);
    else session.steer(live.turnId, text).catch((error: unknown) => this.#giveBack(text, failureOf(error)));
  }

  #giveBack(text: string, failure: WireFailure): void {
    const { keep, send, store } = this.#parts;
    if (failure.code === 'unknown_turn') {
      send(text);
      return;
    }
    store.update(wordsReturned(text));
    keep();
    const words = failure.uncertain ? STEER_LOST : `Not said. ${failure.sentence} ${failure.next}`;
    store.update(noticed(words, 'warn'));
  }

  async #cancel(session: ControlledSession, turnId: string): Promise<void> {
    try {
      await session.cancelTurn(turnId);
    } catch (error) {
      const { code, uncertain } = failureOf(error);
      if (uncertain || code === 'link_lost') return;
      if (code !== 'unknown_turn') throw error;
    }
    this.#stopAsked = false;
  }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error;
  throw error;
}
