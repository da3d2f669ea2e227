/** Pure steps from state to state. Each is named for what happened. */
import type { Piece } from '../client/session-control.ts';
import { type Block, fold, outlived } from '../transcript/blocks.ts';
import { type AnyEnvelope, titleIn } from '../transcript/envelope.ts';
import { type EnvelopeTurn, NO_ENVELOPES, withDelta, withEnvelope } from '../transcript/envelope-turn.ts';
import { replaced } from '../transcript/gap-marks.ts';
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
import { handedOver, marked, takenMeanwhile } from './gaps.ts';
import type { Notice } from './notice.ts';
import { NO_CHOICES, withTold } from './session-choices.ts';
import {
  type Control,
  type Edges,
  type HistoryState,
  NO_EDGES,
  type OutboxItem,
  type Returned,
  type SessionState,
  type State,
} from './state.ts';
import type { Update } from './store.ts';

type Step = Update<State>;

export const noticed =
  (text: string, tone: Notice['tone']): Step =>
  (state) => ({ ...state, notice: { text, tone } });

/** Text for the draft: one that was kept, or a message that was asked in vain. */
export const comesBack =
  (piece: Returned): Step =>
  (state) => ({ ...state, returned: piece.place === 'instead' ? [piece] : [...state.returned, piece] });

/** A message that was asked in vain goes back to the draft. */
export const wordsReturned = (text: string): Step => comesBack({ text, place: 'before', attachments: [] });

export const sessionOpened =
  (session: SessionState | null): Step =>
  (state) => ({
    ...state,
    session,
    choices: state.sessions.rows.find(({ id }) => id === session?.id)?.choices ?? NO_CHOICES,
    history: [],
    historyState: session === null ? 'complete' : 'loading',
    edges: NO_EDGES,
    live: null,
    marks: [],
    totals: NO_TOKENS,
    notice: null,
  });

export const controlChanged =
  (control: Control): Step =>
  (state) =>
    state.session === null
      ? state
      : { ...state, session: { ...state.session, control }, marks: handedOver(state, control) };

export const titled =
  (title: string): Step =>
  (state) =>
    state.session === null ? state : { ...state, session: { ...state.session, title } };

export const historyRead =
  (history: readonly Block[], historyState: HistoryState): Step =>
  (state) => {
    const read = { ...state, history, historyState, marks: replaced(state.marks, state.history, history) };
    return historyState === 'gap' ? gapFound(read) : read;
  };

export const edgesChanged =
  (edges: Partial<Edges>): Step =>
  (state) => ({ ...state, edges: { ...state.edges, ...edges } });

/** Another part of the history is held. */
export const historyHeld =
  (history: readonly Block[], edges: Partial<Edges>): Step =>
  (state) =>
    edgesChanged(edges)({ ...state, history });

/** Something of the history could not be read. */
export const gapFound: Step = (state) => ({
  ...state,
  historyState: 'gap',
  marks: marked(state, 'missing', { at: state.history[0]?.id ?? null }),
});

/** The link is gone: where it is found again, the talk goes on from here. `now`: Unix time, ms. */
export const linkLost =
  (now: number): Step =>
  (state) => ({ ...state, marks: marked(state, 'relink', { time: now }) });

/** A connection of ours: control that it takes is no other window's. */
export const connectionMade =
  (id: string): Step =>
  (state) => ({ ...state, connections: [...state.connections, id] });

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
    const said: Block = { kind: 'user', id: context.newId(), revision: 0, at: context.now, text: item.text };
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
    const history = withSettled(state, (held) => fold(held, before));
    const session = withName(state.session, envelopes);
    const choices = withTold(state.choices, envelopes);
    const marks = envelopes.reduce(
      (known, envelope) => takenMeanwhile({ ...state, marks: known }, envelope),
      state.marks,
    );
    if (live === null || live.envelopes === null || inTurn.length === 0)
      return { ...state, session, choices, history, marks };
    return {
      ...state,
      session,
      choices,
      history,
      marks,
      live: withEnvelopes(live, inTurn.reduce(withEnvelope, live.envelopes)),
    };
  };

/** The whole history anew, with what the running turn has said. */
export const envelopesRead =
  (envelopes: readonly AnyEnvelope[], historyState: HistoryState, above: Edges['above']): Step =>
  (state) => {
    const { live } = state;
    const kept =
      live === null || live.envelopes === null
        ? live
        : withEnvelopes(live, { ...live.envelopes, settled: [], questions: [] });
    const edges = { ...NO_EDGES, above };
    const read = envelopesArrived(envelopes)({ ...state, history: [], historyState, edges, live: kept });
    const known = { ...read, marks: state.marks };
    return historyState === 'gap' ? gapFound(known) : known;
  };

/** Whoever names a session, its name is the last one that its envelopes say. */
function withName(session: State['session'], envelopes: readonly AnyEnvelope[]): State['session'] {
  const title = titleIn(envelopes);
  return session === null || title === null ? session : { ...session, title };
}

export function isOfTurn(live: LiveTurn | null, { ev, turn }: AnyEnvelope): boolean {
  if (live === null || live.envelopes === null) return false;
  if (turn !== undefined) return turn === live.turnId;
  return ev.t === 'text' && 'steer' in ev && ev.steer === true;
}

/** The history with what has settled; one that does not reach the present stays, and reads it later. */
function withSettled(
  { edges, history }: State,
  settle: (history: readonly Block[]) => readonly Block[],
): readonly Block[] {
  return edges.below === 'end' ? settle(history) : history;
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
    const resumed = withoutNews(kept ?? rebuilt);
    const live = { ...resumed, dropped: turn.activity_dropped, relinks };
    const marks = sameTurn === null ? state.marks : replaced(state.marks, sameTurn.blocks, live.blocks);
    return withDropped({ ...state, live, marks }, turn.activity_dropped - (sameTurn?.dropped ?? 0));
  };

/** Activity is told once: what ended while nobody listened has ended unseen. */
function withoutNews(turn: LiveTurn): LiveTurn {
  const blocks = turn.blocks.map((block) => (block.kind === 'tool' ? outlived(block, 'completed') : block));
  return { ...turn, blocks };
}

/** What is written and stands in no envelope yet is in the snapshot; the envelopes are read. */
function enveloped(
  { activity_dropped: dropped, pending, turn_id }: NonNullable<Snapshot['turn']>,
  shown: LiveTurn | null,
  context: LiveContext,
): LiveTurn {
  const turn = shown ?? beginTurn(turn_id, context, 'envelopes');
  const relinks = shown === null ? 0 : shown.relinks + 1;
  const isSaid = pending != null && pending.subagent === undefined;
  const piece = isSaid
    ? [{ id: pending.envelope_id, text: pending.text, thinking: pending.thinking, at: context.now }]
    : [];
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
    return {
      ...state,
      live: withEnvelopes(live, withDelta(live.envelopes, { id, text, thinking, at: context.now })),
    };
  };

export const activityArrived =
  (activity: Activity, dropped: number, context: LiveContext): Step =>
  (state) => {
    if (state.live === null) return state;
    const live = applyActivity(state.live, activity, context);
    const counted = dropped === 0 ? live : { ...live, dropped: live.dropped + dropped };
    return withDropped({ ...state, live: counted }, live.envelopes === null ? dropped : 0);
  };

/** Where envelopes tell what happens, activity only counts: nothing of the talk is missing without it. */
function withDropped(state: State, dropped: number): State {
  return dropped <= 0 ? state : { ...state, marks: marked(state, 'dropped', { count: dropped }) };
}

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
    history: withSettled(state, (held) => [...held, ...blocks]),
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
    history: withSettled(state, (held) => [...held, ...blocks]),
    marks: replaced(state.marks, state.live.blocks, blocks),
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
