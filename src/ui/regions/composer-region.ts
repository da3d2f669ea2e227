/** The draft, where it is written. */
import { type Row, type Span, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { caretPlace, type DraftRow, windowTop } from '../composer/layout.ts';
import type { View } from '../view.ts';

const PROMPT = ' › ';
const PROMPT_CELLS = 3;
const MAX_ROWS = 10;

/** Cells that the draft may use. */
export function draftWidth(columns: number): number {
  return Math.max(2, columns - PROMPT_CELLS);
}

/** The draft as rows. */
function draftRows(view: View): readonly DraftRow[] {
  return view.layout.rows(view.draft.text, draftWidth(view.size.columns));
}

/** Rows that the draft gets: ten at most, and never more than a third of the window. */
export function composerHeight(view: View): number {
  const rows = draftRows(view).length;
  const most = Math.max(1, Math.min(MAX_ROWS, Math.floor(view.size.rows / 3)));
  return Math.min(rows, most);
}

export interface ComposerRows {
  readonly rows: readonly Row[];
  /** Where the caret stands: rows from the region's top, cells from the left of the window. */
  readonly caret: { readonly row: number; readonly column: number };
}

export function composerRows(view: View): ComposerRows {
  const { text, caret } = view.draft;
  const all = draftRows(view);
  const height = composerHeight(view);
  const place = caretPlace(text, all, caret);
  const top = windowTop({ rowCount: all.length, caretRow: place.row, height, previousTop: 0 });
  const rows = all.slice(top, top + height).map((row, index) => {
    const prompt = top + index === 0 ? span(PROMPT, 'accent') : span('   ', 'text');
    const content: Span = text === '' ? span('Write a message', 'dim') : span(row.text, 'text');
    return rowOf([prompt, content]);
  });
  return { rows, caret: { row: place.row - top, column: PROMPT_CELLS + place.column } };
}
