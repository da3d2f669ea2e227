/**
 * Long pastes stand in the draft as one character each: a mark from a private plane, drawn as a label. Pure.
 *
 * Invariants:
 * - a mark in the draft always has its fold: text from outside that holds such a character becomes a fold as a whole,
 *   so no foreign character is ever taken for a mark;
 * - what leaves the draft is expanded: no mark is sent, kept or copied.
 */
import { FIRST_MARK, LAST_MARK, replaceMarks } from './marks.ts';
import { cleanText } from './text-buffer.ts';

export interface Fold {
  /** What was pasted, whole. */
  readonly text: string;
  /** What is drawn instead. */
  readonly label: string;
}

/** By mark. */
export type Folds = ReadonlyMap<string, Fold>;

export const NO_FOLDS: Folds = new Map();

/** A paste of more than this is folded: lines, bytes. */
export const FOLD_LINES = 20;
export const FOLD_BYTES = 4_000;

/** Whether a paste is long enough to be folded. */
export function isLong(text: string): boolean {
  return lineCount(text) > FOLD_LINES || Buffer.byteLength(text, 'utf8') > FOLD_BYTES;
}

/** The folds with one more, and its mark. Without a mark left the text stays as it is, but for what looks like one. */
export function folded(folds: Folds, text: string): { readonly folds: Folds; readonly text: string } {
  const clean = cleanText(text);
  const code = FIRST_MARK + folds.size;
  if (code > LAST_MARK) return { folds, text: replaceMarks(clean, () => '\ufffd') };
  const mark = String.fromCodePoint(code);
  return { folds: new Map([...folds, [mark, { text: clean, label: labelOf(clean) }]]), text: mark };
}

/** The text with every fold in full. */
export function expanded(text: string, folds: Folds): string {
  return folds.size === 0 ? text : replaceMarks(text, (mark) => folds.get(mark)?.text ?? mark);
}

/** The fold that a visible character stands for, or null. What joins the mark, such as an accent, is not part of it. */
export function foldOf(
  character: string,
  folds: Folds,
): { readonly fold: Fold; readonly rest: string } | null {
  if (folds.size === 0 || character.length < 2) return null;
  const mark = String.fromCodePoint(character.codePointAt(0) ?? 0);
  const fold = folds.get(mark);
  return fold === undefined ? null : { fold, rest: character.slice(mark.length) };
}

/** The line feed that ends the last line begins no other. */
function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function labelOf(text: string): string {
  const lines = lineCount(text);
  if (lines > 1) return `[pasted ${lines.toLocaleString('en')} lines]`;
  return `[pasted ${Buffer.byteLength(text, 'utf8').toLocaleString('en')} bytes]`;
}
