/**
 * The way out, one rung per press: Ctrl+C, Ctrl+D and Escape on the chat screen.
 *
 * Invariants:
 * - a turn gets at most one request to stop from here;
 * - nothing leaves on a first press while there is a draft, a turn, or no hint on the screen, save Ctrl+D with nothing
 *   to lose;
 * - presses that came in one read, or faster than a finger, count as one.
 */

/** How long a first press counts, in ms. */
export const SECOND_PRESS_MS = 2000;
/** How long the service may take to confirm a stop before the screen says that it did not, in ms. */
export const STOP_UNCONFIRMED_MS = 5000;
/** Presses closer than this are one, in ms. */
export const SAME_PRESS_MS = 25;

export type LadderKey = 'ctrl-c' | 'ctrl-d' | 'escape';

export type LadderAction =
  /** Empty the draft and show how to leave. */
  | 'clear-draft'
  /** Ask the service, once, to stop the turn. */
  | 'stop-turn'
  /** Show how to leave. */
  | 'hint'
  /** Leave with code 0. */
  | 'leave'
  /** Delete the character after the caret. */
  | 'delete-forward'
  | 'none';

/** What the store knows of the turn. `id` tells one turn from the next. */
export type LadderTurn =
  | { readonly phase: 'none' }
  | { readonly phase: 'running'; readonly id: string }
  | { readonly phase: 'stopping'; readonly id: string };

export interface LadderPress {
  readonly key: LadderKey;
  readonly draft: 'empty' | 'filled';
  readonly turn: LadderTurn;
  /** Monotonic time, ms. */
  readonly nowMs: number;
  /** Number of the read that brought the press. */
  readonly batch: number;
}

export interface LadderState {
  /** Until when a second press leaves, ms; null when no hint is shown. */
  readonly armedUntilMs: number | null;
  readonly lastPress: { readonly key: LadderKey; readonly atMs: number; readonly batch: number } | null;
  /** The turn that was asked to stop, and since when. */
  readonly stop: { readonly turnId: string; readonly sinceMs: number } | null;
}

export interface LadderStep {
  readonly state: LadderState;
  readonly action: LadderAction;
}

export const LADDER_START: LadderState = { armedUntilMs: null, lastPress: null, stop: null };

/** Takes one press; returns what to do and the next state. */
export function pressLadder(before: LadderState, press: LadderPress): LadderStep {
  const state = observeTurn(before, press.turn, press.nowMs);
  const { key, nowMs, batch } = press;
  // Typing comes before the ladder: every Ctrl+D in a draft deletes, also when it repeats.
  if (key === 'ctrl-d' && press.draft === 'filled') return { state: disarm(state), action: 'delete-forward' };
  const last = state.lastPress;
  const isSamePress =
    last?.key === key && (last.batch === batch || (nowMs >= last.atMs && nowMs - last.atMs < SAME_PRESS_MS));
  const next: LadderState = { ...state, lastPress: { key, atMs: nowMs, batch } };
  if (isSamePress) return { state: next, action: 'none' };
  if (press.turn.phase !== 'none') return pressDuringTurn(next, press, press.turn);
  if (key === 'escape') return { state: disarm(next), action: 'none' };
  if (key === 'ctrl-c' && press.draft === 'filled') return { state: arm(next, nowMs), action: 'clear-draft' };
  if (key === 'ctrl-d' || isArmed(state, nowMs)) return { state: disarm(next), action: 'leave' };
  return { state: arm(next, nowMs), action: 'hint' };
}

/** Returns the state after any other key: a first press no longer counts. */
export function disarm(state: LadderState): LadderState {
  return state.armedUntilMs === null ? state : { ...state, armedUntilMs: null };
}

/** Returns the state after the store's turn changed. Call it on every change, so that a wait is measured from its start. */
export function observeTurn(state: LadderState, turn: LadderTurn, nowMs: number): LadderState {
  if (turn.phase === 'none') return state.stop === null ? state : { ...state, stop: null };
  if (state.stop?.turnId === turn.id) return state;
  if (turn.phase === 'stopping') return { ...state, stop: { turnId: turn.id, sinceMs: nowMs } };
  return state.stop === null ? state : { ...state, stop: null };
}

/** Returns what the status line must say at `nowMs`, and when to look again (ms from now), if ever. */
export function ladderNotice(
  state: LadderState,
  nowMs: number,
): {
  readonly notice: 'press-again' | 'stopping' | 'stop-unconfirmed' | null;
  readonly changesInMs: number | null;
} {
  if (state.stop !== null) {
    const left = state.stop.sinceMs + STOP_UNCONFIRMED_MS - nowMs;
    return left > 0
      ? { notice: 'stopping', changesInMs: left }
      : { notice: 'stop-unconfirmed', changesInMs: null };
  }
  if (isArmed(state, nowMs)) {
    return { notice: 'press-again', changesInMs: (state.armedUntilMs ?? nowMs) - nowMs };
  }
  return { notice: null, changesInMs: null };
}

function pressDuringTurn(
  state: LadderState,
  press: LadderPress,
  turn: Exclude<LadderTurn, { phase: 'none' }>,
): LadderStep {
  if (press.key === 'ctrl-d') {
    if (isUnconfirmed(state, press.nowMs) || isArmed(state, press.nowMs)) {
      return { state: disarm(state), action: 'leave' };
    }
    return { state: arm(state, press.nowMs), action: 'hint' };
  }
  if (state.stop === null) {
    const stop = { turnId: turn.id, sinceMs: press.nowMs };
    return { state: { ...disarm(state), stop }, action: 'stop-turn' };
  }
  const mayLeave = press.key === 'ctrl-c' && isUnconfirmed(state, press.nowMs);
  return { state: disarm(state), action: mayLeave ? 'leave' : 'none' };
}

function arm(state: LadderState, nowMs: number): LadderState {
  return { ...state, armedUntilMs: nowMs + SECOND_PRESS_MS };
}

function isArmed(state: LadderState, nowMs: number): boolean {
  return state.armedUntilMs !== null && nowMs <= state.armedUntilMs;
}

function isUnconfirmed(state: LadderState, nowMs: number): boolean {
  return state.stop !== null && nowMs - state.stop.sinceMs >= STOP_UNCONFIRMED_MS;
}
