/** How much of a model's window earlier conversation takes: estimates, rather too much than too little. */
import type { HistoryItem } from './runtime.ts';

/** Between prose (4) and code (3); other scripts have more bytes and more tokens. */
const BYTES_PER_TOKEN = 3.5;
/** Share of the window that earlier conversation keeps when some of it has to go. */
export const KEPT_SHARE = 0.6;

/** Assumed when nobody says how large a window is, in tokens. */
export const SMALL_WINDOW = 32_768;

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function bytesOf(tokens: number): number {
  return Math.floor(tokens * BYTES_PER_TOKEN);
}

function historyTokens(history: readonly HistoryItem[]): number {
  return history.reduce((sum, item) => sum + itemTokens(item), 0);
}

/**
 * The newest part that fits, starting with something the user said; what summarises the rest stays in front.
 * @param tokens that it may take
 */
export function fitHistory(history: readonly HistoryItem[], tokens: number): readonly HistoryItem[] {
  const [first] = history;
  const summary = first?.kind === 'summary' ? [first] : [];
  let room = tokens - historyTokens(summary);
  let start = history.length;
  for (let index = history.length - 1; index >= summary.length; index -= 1) {
    const item = history[index];
    if (item === undefined) break;
    room -= itemTokens(item);
    if (room < 0) break;
    if (item.kind === 'user') start = index;
  }
  return room < 0 ? [...summary, ...history.slice(start)] : history;
}

function itemTokens(item: HistoryItem): number {
  return tokensOf(item.kind === 'tool' ? item.output + JSON.stringify(item.args) : item.text);
}
