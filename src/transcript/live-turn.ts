/**
 * The running turn as a pure value: text as it streams, tools as they run (PROTOCOL.md, "Turns").
 * Invariants: `text` is every delta in order; live text is never stitched to replayed text;
 * on the terminal the authoritative text wins.
 */
import type { Activity } from '../wire/activity.ts';
import type { TurnTerminal } from '../wire/turn.ts';
import { type AnswerBlock, type Block, fold, outlived } from './blocks.ts';
import { type Compaction, withCompaction } from './compaction.ts';
import type { Envelope } from './envelope.ts';
import { type EnvelopeTurn, NO_ENVELOPES, shownBlocks } from './envelope-turn.ts';
import { type ActivityContext, envelopesOfActivity, untoldStart } from './from-wire.ts';
import { type Kin, NO_KIN, withKin } from './kin.ts';

export interface LiveTurn {
  readonly turnId: string;
  /** Envelope turn ID: the wire's ID need not be a cuid2. */
  readonly key: string;
  /** Unix time, ms. */
  readonly startedAt: number;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly stopping: boolean;
  /** Activity events that were lost. */
  readonly dropped: number;
  /** How often the link was lost and found while it ran. */
  readonly relinks: number;
  readonly tokens: TurnTokens;
  /** The compaction that was told last; null when there was none. */
  readonly compaction: Compaction | null;
  /** Who works for whom, as activity tells it. */
  readonly kin: Kin;
  /** What the envelopes of the session profile say; null on ordinary connections. */
  readonly envelopes: EnvelopeTurn | null;
}

/** Tokens; `context` and `window` are null until the wire says them. */
export interface TurnTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly context: number | null;
  readonly window: number | null;
}

export const NO_TOKENS: TurnTokens = { input: 0, output: 0, cacheRead: 0, context: null, window: null };

/** By ordinary activity, or by the envelopes of the session profile. */
export type Telling = 'activity' | 'envelopes';

export type LiveContext = Pick<ActivityContext, 'newId' | 'now'>;

/** @param telling how the service tells what happens */
export function beginTurn(turnId: string, context: LiveContext, telling: Telling = 'activity'): LiveTurn {
  return {
    turnId,
    key: context.newId(),
    startedAt: context.now,
    text: '',
    blocks: [],
    stopping: false,
    dropped: 0,
    relinks: 0,
    tokens: NO_TOKENS,
    compaction: null,
    kin: NO_KIN,
    envelopes: telling === 'envelopes' ? NO_ENVELOPES : null,
  };
}

/** The turn with other envelopes, and the blocks that follow from them. */
export function withEnvelopes(turn: LiveTurn, envelopes: EnvelopeTurn): LiveTurn {
  return { ...turn, envelopes, blocks: shownBlocks(envelopes, turn.turnId) };
}

export function applyDelta(turn: LiveTurn, text: string, context: LiveContext): LiveTurn {
  const last = turn.blocks.at(-1);
  const grown: AnswerBlock =
    last?.kind === 'answer'
      ? { ...last, revision: last.revision + 1, text: last.text + text }
      : { kind: 'answer', id: context.newId(), revision: 0, turn: turn.key, text, open: true };
  const blocks = last?.kind === 'answer' ? turn.blocks.slice(0, -1) : turn.blocks;
  return { ...turn, text: turn.text + text, blocks: [...blocks, grown] };
}

export function applyActivity(turn: LiveTurn, activity: Activity, context: LiveContext): LiveTurn {
  const tokens = addTokens(turn.tokens, activity);
  const compaction = withCompaction(turn.compaction, activity, context.now);
  const kin = withKin(turn.kin, activity);
  const isSame = tokens === turn.tokens && compaction === turn.compaction && kin === turn.kin;
  const counted = isSame ? turn : { ...turn, tokens, compaction, kin };
  if (turn.envelopes !== null) return counted;
  const envelopes = toldBy(counted, activity, { ...context, turn: turn.key, kin });
  if (envelopes.length === 0) return counted;
  return { ...counted, blocks: fold(closeAnswers(turn.blocks), envelopes) };
}

/** What an activity adds to what is shown: a start counts once, and so does an end of which nothing more is said. */
function toldBy(turn: LiveTurn, activity: Activity, context: ActivityContext): readonly Envelope[] {
  const envelopes = envelopesOfActivity(activity, context);
  const { ev } = envelopes[0] ?? {};
  if (ev?.t === 'tool-call-start') return statusOf(turn, ev.call) === 'running' ? [] : envelopes;
  if (ev?.t !== 'tool-call-end') return envelopes;
  const status = statusOf(turn, ev.call);
  if (activity.kind === 'lifecycle') return status === 'running' ? envelopes : [];
  return status === null ? [...untoldStart(activity, context), ...envelopes] : envelopes;
}

/** Null for a call that is not shown. */
function statusOf({ blocks }: LiveTurn, call: string): string | null {
  const block = blocks.findLast((candidate) => candidate.kind === 'tool' && candidate.call === call);
  return block?.kind === 'tool' ? block.status : null;
}

function addTokens(tokens: TurnTokens, activity: Activity): TurnTokens {
  if (activity.kind === 'context')
    return { ...tokens, context: activity.current_tokens, window: activity.max_tokens };
  if (activity.kind !== 'usage' || !activity.final_usage) return tokens;
  return {
    ...tokens,
    input: tokens.input + activity.effective_input,
    output: tokens.output + activity.output,
    cacheRead: tokens.cacheRead + activity.cache_read,
  };
}

function closeAnswers(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) =>
    block.kind === 'answer' && block.open ? { ...block, open: false, revision: block.revision + 1 } : block,
  );
}

/** The blocks of a turn whose envelopes have told its end, or who ended without them. */
export function settleEnvelopes(
  turn: LiveTurn,
  end: Pick<TurnTerminal, 'status'> & { readonly reason: string },
  context: LiveContext,
): readonly Block[] {
  const blocks = turn.blocks.map((block) =>
    block.kind === 'answer' && block.open ? { ...block, open: false } : block,
  );
  if (blocks.some((block) => block.kind === 'turn-end')) return blocks;
  const { reason, status } = end;
  const at = context.now;
  return [...blocks, { kind: 'turn-end', id: context.newId(), revision: 0, at, status, reason }];
}

/** The turn's blocks once it has ended: authoritative text in place, no tool left running, the outcome last. */
export function settle(
  turn: LiveTurn,
  terminal: Pick<TurnTerminal, 'assistant_text' | 'status'> &
    Partial<Pick<TurnTerminal, 'activity_dropped'>> & { readonly reason: string },
  context: LiveContext,
): readonly Block[] {
  const { reason, status } = terminal;
  const closed = closeAnswers(turn.blocks).map((block) =>
    block.kind === 'tool' ? outlived(block, status) : block,
  );
  const blocks = withText(turn, closed, terminal.assistant_text, context);
  const dropped = Math.max(turn.dropped, terminal.activity_dropped ?? 0);
  const at = context.now;
  return [
    ...blocks,
    {
      kind: 'turn-end',
      id: context.newId(),
      revision: 0,
      at,
      status,
      reason,
      ...(dropped > 0 ? { dropped } : {}),
    },
  ];
}

function withText(
  turn: LiveTurn,
  blocks: readonly Block[],
  text: string,
  context: LiveContext,
): readonly Block[] {
  if (text === turn.text) return blocks;
  if (text.startsWith(turn.text)) return continuedBlocks(blocks, text.slice(turn.text.length), turn, context);
  const kept = blocks.filter((block) => block.kind !== 'answer');
  return text === '' ? kept : continuedBlocks(kept, text, turn, context);
}

/** More text at the end: of the answer that stands there, or as one of its own behind a tool. */
function continuedBlocks(
  blocks: readonly Block[],
  text: string,
  turn: LiveTurn,
  context: LiveContext,
): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.kind === 'answer')
    return [...blocks.slice(0, -1), { ...last, revision: last.revision + 1, text: last.text + text }];
  return [...blocks, { kind: 'answer', id: context.newId(), revision: 0, turn: turn.key, text, open: false }];
}
