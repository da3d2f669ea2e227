/** Pure steps from state to state. Each is named for what happened. */
import type { Block } from '../transcript/blocks.ts';
import {
  applyActivity,
  applyDelta,
  beginTurn,
  type LiveContext,
  type LiveTurn,
  NO_TOKENS,
  settle,
  type TurnTokens,
} from '../transcript/live-turn.ts';
import type { Activity } from '../wire/activity.ts';
import { explain } from '../wire/errors.ts';
import type { Snapshot } from '../wire/session.ts';
import type { TurnTerminal } from '../wire/turn.ts';
import type { Control, HistoryState, Notice, OutboxItem, Returned, SessionState, State } from './state.ts';
import type { Update } from './store.ts';

type Step = Update<State>;

export const noticed =
  (text: string, tone: Notice['tone']): Step =>
  (state) => ({ ...state, notice: { text, tone } });

/** The draft that was kept for the session that is open now. */
export const draftRestored =
  (text: string, place: Returned['place']): Step =>
  (state) => ({ ...state, returned: { serial: state.returned.serial + 1, text, place } });

export const sessionOpened =
  (session: SessionState | null): Step =>
  (state) => ({
    ...state,
    session,
    history: [],
    historyState: session === null ? 'complete' : 'loading',
    live: null,
    totals: NO_TOKENS,
    notice: null,
  });

export const controlChanged =
  (control: Control): Step =>
  (state) =>
    state.session === null ? state : { ...state, session: { ...state.session, control } };

export const titled =
  (title: string): Step =>
  (state) =>
    state.session === null ? state : { ...state, session: { ...state.session, title } };

export const historyRead =
  (history: readonly Block[], historyState: HistoryState): Step =>
  (state) => ({ ...state, history, historyState });

export const outboxChanged =
  (outbox: readonly OutboxItem[]): Step =>
  (state) => ({ ...state, outbox });

export const historyFailed: Step = (state) => ({ ...state, historyState: 'failed' });

/** The service has the message: it leaves the outbox and stands in the talk. */
export const messageArrived =
  (operationId: string, context: LiveContext): Step =>
  (state) => {
    const item = state.outbox.find((entry) => entry.operationId === operationId);
    if (item === undefined) return state;
    const said: Block = { kind: 'user', id: context.newId(), revision: 0, text: item.text };
    return {
      ...state,
      outbox: state.outbox.filter((entry) => entry !== item),
      history: [...state.history, said],
    };
  };

/** The service took the message and its turn begins. */
export const turnAccepted =
  (turnId: string, operationId: string, context: LiveContext): Step =>
  (state) => ({ ...messageArrived(operationId, context)(state), live: beginTurn(turnId, context) });

export const turnSeeded =
  (turn: NonNullable<Snapshot['turn']>, context: LiveContext): Step =>
  (state) => {
    const sameTurn = state.live?.turnId === turn.turn_id ? state.live : null;
    const kept = sameTurn !== null && sameTurn.text === turn.assistant_text ? sameTurn : null;
    const empty = { ...beginTurn(turn.turn_id, context), startedAt: sameTurn?.startedAt ?? context.now };
    const seeded = turn.assistant_text === '' ? empty : applyDelta(empty, turn.assistant_text, context);
    const rebuilt =
      sameTurn === null ? seeded : (continued(sameTurn, turn.assistant_text, context) ?? seeded);
    const relinks = sameTurn === null ? 0 : sameTurn.relinks + 1;
    return { ...state, live: { ...(kept ?? rebuilt), dropped: turn.activity_dropped, relinks } };
  };

/** The turn as it was shown, with the text that came while the link was lost; null when the texts do not fit. */
function continued(shown: LiveTurn, text: string, context: LiveContext): LiveTurn | null {
  if (!text.startsWith(shown.text)) return null;
  return applyDelta(shown, text.slice(shown.text.length), context);
}

export const deltaArrived =
  (text: string, context: LiveContext): Step =>
  (state) =>
    state.live === null ? state : { ...state, live: applyDelta(state.live, text, context) };

export const activityArrived =
  (activity: Activity, dropped: number, context: LiveContext): Step =>
  (state) => {
    if (state.live === null) return state;
    const live = applyActivity(state.live, activity, context);
    return { ...state, live: dropped === 0 ? live : { ...live, dropped: live.dropped + dropped } };
  };

export const stopRequested: Step = (state) =>
  state.live === null ? state : { ...state, live: { ...state.live, stopping: true } };

/** Whether the stop arrived is not known: it can be asked for again. */
export const stopForgotten: Step = (state) =>
  state.live === null ? state : { ...state, live: { ...state.live, stopping: false } };

/** Somebody else goes on with the turn: what it says is read from its history. */
export const turnLeft: Step = (state) => ({ ...state, live: null });

/** The turn is over: its blocks settle into the talk. */
export const turnEnded =
  (
    terminal: Pick<TurnTerminal, 'assistant_text' | 'status' | 'error' | 'notice'>,
    context: LiveContext,
  ): Step =>
  (state) =>
    settled(state, { ...terminal, reason: reasonOf(terminal) }, context);

/** The turn is over without a terminal: what was shown of it stays, with the reason. */
export const turnInterrupted =
  (reason: string, context: LiveContext): Step =>
  (state) =>
    settled(state, { assistant_text: state.live?.text ?? '', status: 'failed', reason }, context);

function settled(state: State, terminal: Parameters<typeof settle>[1], context: LiveContext): State {
  if (state.live === null) return state;
  return {
    ...state,
    live: null,
    history: [...state.history, ...settle(state.live, terminal, context)],
    totals: addTokens(state.totals, state.live.tokens),
  };
}

function reasonOf({ error, notice }: Pick<TurnTerminal, 'error' | 'notice'>): string {
  return error === null ? '' : (notice ?? sentenceOf(error.code));
}

function sentenceOf(code: string): string {
  const { sentence, next } = explain(code);
  return `${sentence} ${next}`;
}

function addTokens(totals: TurnTokens, turn: TurnTokens): TurnTokens {
  return {
    input: totals.input + turn.input,
    output: totals.output + turn.output,
    cacheRead: totals.cacheRead + turn.cacheRead,
    context: turn.context ?? totals.context,
    window: turn.window ?? totals.window,
  };
}
