/**
 * The draft with its folded pastes. Pure steps; each keeps the rest of what it is given.
 * Invariant: text from outside enters the draft through here, and leaves it through draftText().
 */
import { expanded, type Folds, folded, isLong, NO_FOLDS } from './folds.ts';
import { holdsMark } from './marks.ts';
import { bufferOf, EMPTY_BUFFER, insert, replaceAll, type TextBuffer } from './text-buffer.ts';

export interface Draft {
  readonly draft: TextBuffer;
  readonly folds: Folds;
}

/** What was written, whole: what is sent and kept. */
export function draftText({ draft, folds }: Draft): string {
  return expanded(draft.text, folds);
}

/** With another draft, and nothing to undo: what was there before is not of it. What was cut can still be put in. */
export function withKept<D extends Draft>(parts: D, text: string): D {
  const empty = emptied(parts);
  const put = holdsMark(text) ? folded(empty.folds, text) : { folds: empty.folds, text };
  return { ...empty, folds: put.folds, draft: { ...bufferOf(put.text), killRing: empty.draft.killRing } };
}

/** With text put in at the caret; a long paste is folded. */
export function withInserted<D extends Draft>(parts: D, text: string, how: 'typed' | 'pasted'): D {
  const isFolded = holdsMark(text) || (how === 'pasted' && isLong(text));
  const put = isFolded ? folded(parts.folds, text) : { folds: parts.folds, text };
  return { ...parts, folds: put.folds, draft: insert(parts.draft, put.text) };
}

/** With all of the text replaced; one step to undo. */
export function withText<D extends Draft>(parts: D, text: string): D {
  const put = holdsMark(text) ? folded(parts.folds, text) : { folds: parts.folds, text };
  return { ...parts, folds: put.folds, draft: replaceAll(parts.draft, put.text) };
}

/** With other text in front of what is written; one step to undo, unless nothing was written yet. */
export function withTextBefore<D extends Draft>(parts: D, text: string): D {
  if (text === '') return parts;
  if (parts.draft.text === '' && parts.draft.undoStack.length === 0) return withKept(parts, text);
  const put = holdsMark(text) ? folded(parts.folds, text) : { folds: parts.folds, text };
  const written = parts.draft.text;
  const joined = written === '' ? put.text : `${put.text}\n${written}`;
  return { ...parts, folds: put.folds, draft: replaceAll(parts.draft, joined) };
}

/** Empty after sending: what was cut can still be put back, whole. */
export function emptied<D extends Draft>(parts: D): D {
  const killRing = parts.draft.killRing.map((text) => expanded(text, parts.folds));
  return { ...parts, folds: NO_FOLDS, draft: { ...EMPTY_BUFFER, killRing } };
}
