/**
 * Conversation that fills the window becomes a summary, before any request of a turn (PROTOCOL.md, "Activity").
 * Invariants: the turn goes on whatever comes of it; what the user said in the turn and the newest steps stay as they
 * are, and no call is without its result; a summary that failed costs the oldest messages alone, and people are told;
 * the tokens that it took are counted.
 */
import type { Message } from '@earendil-works/pi-ai';
import { bytesOf, fitHistory, KEPT_SHARE, SMALL_WINDOW, tokensOf } from '../history-size.ts';
import type { HistoryItem } from '../runtime.ts';
import { createSteerBox } from '../steer-box.ts';
import { cutText } from '../tools/bounded.ts';
import type { ToolSetting } from '../tools/tool.ts';
import type { LiveEvent, TurnIo } from '../turn.ts';
import { messageOf } from '../turn.ts';
import type { Fitting } from './fitting.ts';
import { historyMessages, itemsOf } from './history.ts';
import type { LoadedImages } from './images.ts';
import { type ModelAccess, runLoop } from './loop.ts';
import { contextTokens, messagesTokens } from './message-size.ts';
import { answered, newestSteps } from './steps.ts';
import { SUMMARY_SYSTEM, summaryPrompt } from './summary-request.ts';

export interface CompactionOptions {
  /** What the agent starts with, before its prompt. */
  readonly history: readonly HistoryItem[];
  readonly images: LoadedImages;
  readonly access: ModelAccess;
  readonly setting: ToolSetting;
}

/** A fuller window is too full for a request. */
const FULL_SHARE = 0.8;
/** Conversation that has grown by less than this is not what fills the window. */
const LEAST_SHARE = 0.1;
/** Share of the window that the conversation may take in the request for its summary. */
const REQUEST_SHARE = 0.6;
const SUMMARY_SHARE = 0.2;
/** Share of the window for the newest steps beside a summary, and without one. */
const STEPS_SHARE = 0.2;
const STEPS_ALONE_SHARE = 0.4;
/** The last step may take more, up to this share together with everything that has to stay. */
const LAST_SHARE = 0.5;
const MAX_SUMMARY_BYTES = 12_000;
const LEFT_OUT =
  'The conversation no longer fits the model, and could not be summarised: the oldest messages are left out.';

/** Keeps the requests of one agent within the window. Both ways reject only when the turn is stopped. */
export function createCompaction(options: CompactionOptions, io: TurnIo): Fitting {
  const { access, images } = options;
  const { model } = access;
  let window = model.contextWindow > 0 ? model.contextWindow : SMALL_WINDOW;
  let earlier = options.history;
  /** How many messages come before those of the turn. */
  let head = 1 + historyMessages(earlier, model, images).length;
  /** What the last compaction left of the conversation, in tokens. */
  let settled = 0;

  /** All that a summary could stand for, in tokens. */
  const said = (messages: readonly Message[]): number =>
    messagesTokens(messages.slice(1).filter(({ role }, at) => role !== 'user' || at + 1 < head));
  const isWorthwhile = (messages: readonly Message[]): boolean =>
    said(messages) - settled > window * LEAST_SHARE;

  const compact = async (messages: readonly Message[], before: number): Promise<Message[]> => {
    const turn = messages.slice(head);
    const settle = (kept: readonly HistoryItem[], rest: readonly Message[]): Message[] => {
      earlier = kept;
      const start = [...messages.slice(0, 1), ...historyMessages(kept, model, images)];
      head = start.length;
      const next = [...start, ...rest];
      settled = said(next);
      return next;
    };
    /** @param tokens of what stands for earlier conversation */
    const stepsBeside = (tokens: number, share: number) => {
      const fixed = [...messages.slice(0, 1), ...turn.filter(({ role }) => role === 'user')];
      const last = window * LAST_SHARE - messagesTokens(fixed) - tokens;
      return newestSteps(turn, { all: window * share, last: Math.max(last, window * share) });
    };
    io.emit({ type: 'compaction', status: 'running', before, after: null });
    const summary = await trySummary([...earlier, ...itemsOf(answered(turn))], { ...options, window }, io);
    if (summary === null && io.signal.aborted) {
      io.emit({ type: 'compaction', status: 'cancelled', before, after: null });
      io.signal.throwIfAborted();
    }
    if (summary !== null) {
      const steps = stepsBeside(tokensOf(summary), STEPS_SHARE);
      const next = settle([{ kind: 'summary', text: summary }], steps.messages);
      io.emit({ type: 'compaction', status: 'completed', before, after: contextTokens(next), summary });
      return next;
    }
    const steps = stepsBeside(0, STEPS_ALONE_SHARE);
    const next = settle(fitHistory(earlier, window * KEPT_SHARE - steps.tokens), steps.messages);
    io.emit({ type: 'compaction', status: 'failed', before, after: contextTokens(next) });
    if (next.length < messages.length) io.emit({ type: 'notice', text: LEFT_OUT });
    return next;
  };

  return {
    async before(messages) {
      const tokens = contextTokens(messages);
      if (tokens <= window * FULL_SHARE || !isWorthwhile(messages)) return [...messages];
      return compact(messages, tokens);
    },
    async afterOverflow(messages) {
      const tokens = contextTokens(messages);
      // Nobody said how large the window is, or not the truth.
      window = Math.min(window, tokens);
      return isWorthwhile(messages) ? compact(messages, tokens) : null;
    },
  };
}

interface SummaryOptions extends CompactionOptions {
  /** Tokens. */
  readonly window: number;
}

/** Null when there is none. Never rejects. */
async function trySummary(
  items: readonly HistoryItem[],
  options: SummaryOptions,
  io: TurnIo,
): Promise<string | null> {
  try {
    return await summarise(items, options, io);
  } catch (error) {
    options.access.log(`no summary: ${messageOf(error)}`);
    return null;
  }
}

/** Asks the same model, without tools. */
async function summarise(
  items: readonly HistoryItem[],
  { access, setting, window }: SummaryOptions,
  io: TurnIo,
): Promise<string> {
  let said = '';
  const emit = (event: LiveEvent): void => {
    if (event.type === 'text') said = cutText(said + event.text.toWellFormed(), MAX_SUMMARY_BYTES);
    if (event.type === 'usage') io.emit({ ...event, compaction: true });
  };
  const closed = createSteerBox(() => undefined);
  closed.close();
  await runLoop(
    {
      access: { ...access, thinkingLevel: 'default' },
      setting,
      system: SUMMARY_SYSTEM,
      tools: [],
      history: [],
      prompt: { kind: 'user', text: summaryPrompt(items, bytesOf(window * REQUEST_SHARE)) },
      images: new Map(),
      fitting: null,
      maxRequests: 1,
    },
    { emit, signal: io.signal, steers: closed },
  );
  io.signal.throwIfAborted();
  const summary = cutText(said, bytesOf(window * SUMMARY_SHARE)).trim();
  if (summary === '') throw new Error('the model said nothing');
  return summary;
}
