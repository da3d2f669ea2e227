/** Pure steps from state to state. Each is named for what happened. */
import type { Piece } from '../client/session-control.ts';
import { type Block, fold } from '../transcript/blocks.ts';
import type { AnyEnvelope } from '../transcript/envelope.ts';
import { type EnvelopeTurn, NO_ENVELOPES, withDelta, withEnvelope } from '../transcript/envelope-turn.ts';
import {
  applyActivity,
  applyDelta,
  beginTurn,
  type LiveContext,
  type LiveTurn,
  NO_TOKENS,
  settle,
  settleEnvelopes,
  type TurnTokens,
  withEnvelopes,
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
    const outbox = state.outbox.filter((entry) => entry !== item);
    // Its envelope brings it back.
    if (state.telling === 'envelopes') return { ...state, outbox };
    const said: Block = { kind: 'user', id: context.newId(), revision: 0, text: item.text };
    return { ...state, outbox, history: [...state.history, said] };
  };

/** The service took the message and its turn begins. */
export const turnAccepted =
  (turnId: string, operationId: string, context: LiveContext): Step =>
  (state) => ({
    ...messageArrived(operationId, context)(state),
    live: beginTurn(turnId, context, state.telling),
  });

/** Envelopes of the session, in their order: those of the running turn and those before it. */
export const envelopesArrived =
  (envelopes: readonly AnyEnvelope[]): Step =>
  (state) => {
    const { live } = state;
    const inTurn = envelopes.filter((envelope) => isOfTurn(live, envelope));
    const before = envelopes.filter((envelope) => !isOfTurn(live, envelope));
    const history = fold(state.history, before);
    if (live === null || live.envelopes === null || inTurn.length === 0) return { ...state, history };
    return { ...state, history, live: withEnvelopes(live, inTurn.reduce(withEnvelope, live.envelopes)) };
  };

/** The whole history anew, with what the running turn has said. */
export const envelopesRead =
  (envelopes: readonly AnyEnvelope[], historyState: HistoryState): Step =>
  (state) => {
    const { live } = state;
    const kept =
      live === null || live.envelopes === null
        ? live
        : withEnvelopes(live, { ...live.envelopes, settled: [], questions: [] });
    return envelopesArrived(envelopes)({ ...state, history: [], historyState, live: kept });
  };

function isOfTurn(live: LiveTurn | null, { ev, turn }: AnyEnvelope): boolean {
  if (live === null || live.envelopes === null) return false;
  return turn === live.turnId || (ev.t === 'text' && 'steer' in ev && ev.steer === true);
}

export const turnSeeded =
  (turn: NonNullable<Snapshot['turn']>, context: LiveContext): Step =>
  (state) => {
    const sameTurn = state.live?.turnId === turn.turn_id ? state.live : null;
    if (state.telling === 'envelopes') return { ...state, live: enveloped(turn, sameTurn, context) };
    const kept = sameTurn !== null && sameTurn.text === turn.assistant_text ? sameTurn : null;
    const empty = { ...beginTurn(turn.turn_id, context), startedAt: sameTurn?.startedAt ?? context.now };
    const seeded = turn.assistant_text === '' ? empty : applyDelta(empty, turn.assistant_text, context);
    const rebuilt =
      sameTurn === null ? seeded : (continued(sameTurn, turn.assistant_text, context) ?? seeded);
    const relinks = sameTurn === null ? 0 : sameTurn.relinks + 1;
    return { ...state, live: { ...(kept ?? rebuilt), dropped: turn.activity_dropped, relinks } };
  };

/** What is written and stands in no envelope yet is in the snapshot; the envelopes are read. */
function enveloped(
  { activity_dropped: dropped, pending, turn_id }: NonNullable<Snapshot['turn']>,
  shown: LiveTurn | null,
  context: LiveContext,
): LiveTurn {
  const turn = shown ?? beginTurn(turn_id, context, 'envelopes');
  const relinks = shown === null ? 0 : shown.relinks + 1;
  const isSaid = pending != null && pending.subagent === undefined;
  const piece = isSaid ? [{ id: pending.envelope_id, text: pending.text, thinking: pending.thinking }] : [];
  const envelopes = { ...(turn.envelopes ?? NO_ENVELOPES), pending: piece };
  return withEnvelopes({ ...turn, dropped, relinks }, envelopes);
}

/** The turn as it was shown, with the text that came while the link was lost; null when the texts do not fit. */
function continued(shown: LiveTurn, text: string, context: LiveContext): LiveTurn | null {
  if (!text.startsWith(shown.text)) return null;
  return applyDelta(shown, text.slice(shown.text.length), context);
}

export const deltaArrived =
  (text: string, piece: Piece | null, context: LiveContext): Step =>
  (state) => {
    const { live } = state;
    if (live === null) return state;
    if (live.envelopes === null) return { ...state, live: applyDelta(live, text, context) };
    // A subagent speaks to its caller.
    if (piece === null || piece.subagent !== null) return state;
    const { envelopeId: id, thinking } = piece;
    return { ...state, live: withEnvelopes(live, withDelta(live.envelopes, { id, text, thinking })) };
  };

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
  (state) => {
    const { live } = state;
    if (live !== null && live.envelopes !== null) return leftBehind(state, live, live.envelopes);
    return settled(state, { assistant_text: live?.text ?? '', status: 'failed', reason }, context);
  };

const END_NOT_SAVED = { text: 'The end of this answer was not saved.', tone: 'warn' } as const;

/** The session's own envelopes say how it ended. */
function leftBehind(state: State, live: LiveTurn, { pending }: EnvelopeTurn): State {
  const blocks = live.blocks.map((block) =>
    block.kind === 'answer' && block.open ? { ...block, open: false } : block,
  );
  return {
    ...state,
    live: null,
    history: [...state.history, ...blocks],
    totals: addTokens(state.totals, live.tokens),
    notice: pending.length === 0 ? state.notice : END_NOT_SAVED,
  };
}

function settled(state: State, terminal: Parameters<typeof settle>[1], context: LiveContext): State {
  if (state.live === null) return state;
  const blocks =
    state.live.envelopes === null
      ? settle(state.live, terminal, context)
      : settleEnvelopes(state.live, terminal, context);
  return {
    ...state,
    live: null,
    history: [...state.history, ...blocks],
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
