/** What the reader is doing with the talk: going through it, searching it, looking at one thing in full. */
import type { TextBuffer } from '../composer/text-buffer.ts';
import type { FoundPlace } from './finder.ts';
import type { Folds } from './folds.ts';
import type { SectionRows } from './pager-rows.ts';
import type { Scroll } from './scroll.ts';

/** Block by block; the keys that write are off meanwhile. */
export interface Browse {
  readonly block: string;
  /** The block at which a selection began; it reaches to the chosen one. Null for none. */
  readonly from: string | null;
  /** Where the reader was before. */
  readonly back: Scroll;
  /** Pieces of code of this block that were copied so far. */
  readonly copied: number;
  /** The find that was gone to last; null before the first. */
  readonly at: FoundPlace | null;
}

export interface Search {
  readonly field: TextBuffer;
  /** Where the reader was before, and what was folded. */
  readonly back: Scroll;
  readonly folds: Folds;
  /** The find that is shown; null while there is none. */
  readonly at: FoundPlace | null;
}

/** What is shown in full. */
export type DetailTarget =
  | { readonly kind: 'block'; readonly id: string }
  | { readonly kind: 'question'; readonly call: string };

/** More of an output than the talk keeps, read from the service as the reader goes on. */
export interface OutputRead {
  readonly text: string;
  /** Bytes read, and of all. */
  readonly read: number;
  readonly total: number;
  readonly state: 'reading' | 'more' | 'all' | 'failed';
}

export interface Detail {
  readonly target: DetailTarget;
  /** First visible row. */
  readonly top: number;
  /** Null where all that there is stands in the talk. */
  readonly output: OutputRead | null;
  /** Remembers the rows of text that was only added to. */
  readonly rows: SectionRows;
}
