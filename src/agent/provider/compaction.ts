/**
 * Earlier conversation that fills the window becomes a summary, at the start of a turn (PROTOCOL.md, "Activity").
 * Invariants: the turn goes on whatever comes of it; a summary that failed costs the oldest messages alone, and people
 * are told; the tokens that it took are counted.
 */

import { bytesOf, fitHistory, historyTokens, SMALL_WINDOW, tokensOf } from '../history-size.ts';
import type { HistoryItem } from '../runtime.ts';
import { createSteerBox } from '../steer-box.ts';
import { cutText } from '../tools/bounded.ts';
import type { ToolSetting } from '../tools/tool.ts';
import type { LiveEvent, TurnIo } from '../turn.ts';
import { messageOf } from '../turn.ts';
import { type ModelAccess, runLoop } from './loop.ts';
import { SUMMARY_SYSTEM, summaryPrompt } from './summary-request.ts';

export interface Compaction {
  readonly history: readonly HistoryItem[];
  /** What the first request holds beside the history: instructions, tools, prompt. */
  readonly beside: readonly string[];
  readonly access: ModelAccess;
  readonly setting: ToolSetting;
}

/** A fuller window is too full for a turn. */
const FULL_SHARE = 0.8;
/** A history that is smaller than this is not what fills the window. */
const LEAST_SHARE = 0.1;
/** Share of the window that the conversation may take in the request for its summary. */
const REQUEST_SHARE = 0.6;
const SUMMARY_SHARE = 0.2;
const MAX_SUMMARY_BYTES = 12_000;
const LEFT_OUT =
  'The conversation no longer fits the model, and could not be summarised: the oldest messages are left out.';

/** The history to work with: as it is when it fits. Rejects only when the turn is stopped. */
export async function compactedHistory(compaction: Compaction, io: TurnIo): Promise<readonly HistoryItem[]> {
  const { access, beside, history } = compaction;
  const window = windowOf(access);
  const size = historyTokens(history);
  const rest = beside.reduce((sum, text) => sum + tokensOf(text), 0);
  const before = size + rest;
  if (before <= window * FULL_SHARE || size <= window * LEAST_SHARE) return history;
  io.emit({ type: 'compaction', status: 'running', before, after: null });
  try {
    const summary = await summarise(compaction, io);
    const after = rest + tokensOf(summary);
    io.emit({ type: 'compaction', status: 'completed', before, after, summary });
    return [{ kind: 'summary', text: summary }];
  } catch (error) {
    if (io.signal.aborted) {
      io.emit({ type: 'compaction', status: 'cancelled', before, after: null });
      throw error;
    }
    access.log(`no summary: ${messageOf(error)}`);
    const kept = fitHistory(history, window);
    io.emit({ type: 'compaction', status: 'failed', before, after: rest + historyTokens(kept) });
    if (kept.length < history.length) io.emit({ type: 'notice', text: LEFT_OUT });
    return kept;
  }
}

function windowOf({ model }: ModelAccess): number {
  return model.contextWindow > 0 ? model.contextWindow : SMALL_WINDOW;
}

/** Asks the same model, without tools. */
async function summarise({ access, history, setting }: Compaction, io: TurnIo): Promise<string> {
  const window = windowOf(access);
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
      prompt: summaryPrompt(history, bytesOf(window * REQUEST_SHARE)),
      maxRequests: 1,
    },
    { emit, signal: io.signal, steers: closed },
  );
  io.signal.throwIfAborted();
  const summary = cutText(said, bytesOf(window * SUMMARY_SHARE)).trim();
  if (summary === '') throw new Error('the model said nothing');
  return summary;
}
