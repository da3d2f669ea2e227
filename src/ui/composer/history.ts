/**
 * The messages sent before, walked with Up and Down from the edge of the draft.
 *
 * Invariants:
 * - no entry is lost by editing it: an edit is kept beside the entry until something is sent;
 * - the draft is the newest place of the walk and comes back as it was.
 */

export interface PromptHistory {
  /** Sent messages, oldest first. */
  readonly entries: readonly string[];
  /** Texts left behind while walking, by place; place `entries.length` is the draft. */
  readonly edits: ReadonlyMap<number, string>;
  readonly place: number;
}

export interface HistoryStep {
  readonly history: PromptHistory;
  /** What the composer shows now. */
  readonly text: string;
}

/** The most entries kept. */
export const HISTORY_LIMIT = 1000;

/** Returns a history of sent messages, oldest first, standing at the draft. */
export function historyOf(entries: readonly string[]): PromptHistory {
  const kept = entries.slice(-HISTORY_LIMIT);
  return { entries: kept, edits: new Map(), place: kept.length };
}

/**
 * Returns the history with messages that were sent elsewhere: before what is known, or as the newest. Each stands once,
 * at its last place. While somebody walks through it nothing changes.
 */
export function historyJoined(
  history: PromptHistory,
  sent: readonly string[],
  where: 'before' | 'newest',
): PromptHistory {
  if (history.edits.size > 0 || history.place !== history.entries.length) return history;
  const joined = where === 'before' ? [...sent, ...history.entries] : [...history.entries, ...sent];
  return historyOf([...new Set(joined.toReversed())].toReversed());
}

/** Returns the step to the older message, keeping the text shown now; null at the oldest. */
export function historyPrevious(history: PromptHistory, shown: string): HistoryStep | null {
  return walk(history, shown, history.place - 1);
}

/** Returns the step to the newer message or the draft, keeping the text shown now; null at the draft. */
export function historyNext(history: PromptHistory, shown: string): HistoryStep | null {
  return walk(history, shown, history.place + 1);
}

/** Returns the history after a message was sent: it is the newest entry (once, if repeated) and edits are gone. */
export function historySent(history: PromptHistory, text: string): PromptHistory {
  const isNew = text.trim() !== '' && history.entries.at(-1) !== text;
  return historyOf(isNew ? [...history.entries, text] : history.entries);
}

function walk(history: PromptHistory, shown: string, place: number): HistoryStep | null {
  if (place < 0 || place > history.entries.length) return null;
  const edits = new Map(history.edits);
  if (shown === (history.entries[history.place] ?? '')) edits.delete(history.place);
  else edits.set(history.place, shown);
  return { history: { ...history, edits, place }, text: edits.get(place) ?? history.entries[place] ?? '' };
}
