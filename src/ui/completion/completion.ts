/**
 * The list that offers what the word at the caret may become.
 * Invariant: it belongs to one draft.
 */
import type { TextBuffer } from '../composer/text-buffer.ts';
import type { WalkState } from './file-talk.ts';
import type { Trigger } from './trigger.ts';

export interface Offer {
  /** A command's name, or a path; not sanitised. */
  readonly value: string;
  readonly detail: string;
  /** Offsets of the matched units of the value. */
  readonly marks: readonly number[];
}

export interface Completion {
  readonly kind: Trigger['kind'];
  readonly draft: TextBuffer;
  readonly trigger: Trigger;
  readonly offers: readonly Offer[];
  readonly selected: number;
  /** Of the walk behind the files. */
  readonly walk: WalkState;
  /** How many match, with those that are not offered. */
  readonly total: number;
}
