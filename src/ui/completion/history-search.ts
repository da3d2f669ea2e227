/** Looking for a message that was sent before: what is found, and in which order. Pure. */
import fuzzysort from 'fuzzysort';
import type { TextBuffer } from '../composer/text-buffer.ts';

export interface FoundMessage {
  /** The whole message. */
  readonly text: string;
  /** Offsets of the matched units. */
  readonly marks: readonly number[];
}

export interface HistorySearch {
  readonly field: TextBuffer;
  /** The best first; without a query the newest first. */
  readonly found: readonly FoundMessage[];
  readonly selected: number;
}

const MAX_FOUND = 50;
/** Units of a message that are looked at. */
const LOOKED_AT = 500;
/** What being newer is worth at most, on the matcher's scale from 0 to 1. */
const NEWNESS = 0.1;

/** The messages that match, the best first. @param entries oldest first */
export function messagesFound(entries: readonly string[], query: string): readonly FoundMessage[] {
  const newest = [...new Set(entries.toReversed())];
  if (query.trim() === '') return newest.slice(0, MAX_FOUND).map((text) => ({ text, marks: [] }));
  const aged = newest.map((text, age) => ({ text, head: text.slice(0, LOOKED_AT), age }));
  const scoreFn = (result: { readonly score: number; readonly obj: { readonly age: number } }): number =>
    result.score + NEWNESS * (1 - result.obj.age / aged.length);
  return fuzzysort
    .go(query, aged, { key: 'head', limit: MAX_FOUND, threshold: 0, scoreFn })
    .map((result) => ({ text: result.obj.text, marks: [...result.indexes] }));
}
