/** The draft, where it is written; while a sent message is looked for, the field for that. */
import { BLANK_ROW, type Row, type Span, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { roomLeft } from '../../store/outbox.ts';
import { draftText } from '../composer/draft.ts';
import { caretPlace, type DraftRow, layoutText, lookAt, windowTop } from '../composer/layout.ts';
import { keyName } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import { fileCardRow } from '../rows/file-card.ts';
import { bytes } from '../rows/format.ts';
import type { View } from '../view.ts';

const PROMPT = ' › ';
const PROMPT_CELLS = 3;
const SEARCH_PROMPT = ' sent › ';
const MAX_ROWS = 10;
const MAX_CARDS = 3;
const ROOMY_ROWS = 16;
const ROWS_WITH_PICTURE = 24;
/** From here on the draft says how much it may still grow, bytes. */
const NEAR_LIMIT_BYTES = 3_000;

/** Cells that the draft may use. */
export function draftWidth(columns: number): number {
  return Math.max(2, columns - PROMPT_CELLS);
}

/** The draft as rows. */
function draftRows(view: View): readonly DraftRow[] {
  return view.layout.rows(view.draft.text, draftWidth(view.size.columns), view.folds);
}

/** Rows that the draft gets: ten at most, and never more than a third of the window. */
export function composerHeight(view: View): number {
  if (view.historySearch !== null) return 1;
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
  if (view.historySearch !== null) return searchField(view.historySearch.field, view.size.columns);
  const { text, caret } = view.draft;
  const { columns } = view.size;
  const all = draftRows(view);
  const height = composerHeight(view);
  const place = caretPlace(text, all, caret, lookAt(draftWidth(columns), view.folds));
  const top = windowTop({ rowCount: all.length, caretRow: place.row, height, previousTop: 0 });
  const rows = all.slice(top, top + height).map((row, index) => {
    const prompt = top + index === 0 ? span(PROMPT, 'accent') : span('   ', 'text');
    const content: Span = text === '' ? span('Write a message', 'dim') : span(row.text, 'text');
    return rowOf([prompt, content]);
  });
  const cards = [...pictureRows(view), ...cardRows(view)];
  return {
    rows: [...cards, ...withLimit(rows, limitSpan(view), columns)],
    caret: { row: cards.length + place.row - top, column: PROMPT_CELLS + place.column },
  };
}

/** The picture above its card, where there is room for it. */
function pictureRows({ preview, size }: View): Row[] {
  const fits =
    preview !== null && size.rows >= ROWS_WITH_PICTURE && size.columns > preview.columns + PROMPT_CELLS;
  if (!fits) return [];
  const blanks = ' '.repeat(preview.columns);
  return Array.from({ length: preview.rows }, (_, picture) =>
    rowOf([span(' '.repeat(PROMPT_CELLS), 'dim'), { text: blanks, style: 'text', picture }]),
  );
}

/** The files that go with the draft, the last ones where there are many. */
function cardRows({ attachments, draft, size }: View): Row[] {
  const most = size.rows >= ROOMY_ROWS ? MAX_CARDS : 1;
  const shown = attachments.slice(-most);
  const before = attachments.length - shown.length;
  return shown.map(({ kind, name, size: fileSize }, index) => {
    const isLast = index === shown.length - 1;
    const more = index === 0 && before > 0 ? `+${before} before` : '';
    const key = isLast && draft.caret === 0 ? `${keyName('composer.delete-back')} takes it off` : '';
    const hint = [more, key].filter((part) => part !== '').join('  ');
    return fileCardRow({ name, size: fileSize, what: kind, indent: PROMPT_CELLS, hint }, size.columns);
  });
}

const LIMITS_OF = new WeakMap<View['draft'], Span | null>();

/** How much the draft may still grow; null while there is no need to know. Counted once for each draft. */
function limitSpan(view: View): Span | null {
  const known = LIMITS_OF.get(view.draft);
  if (known !== undefined) return known;
  const limit = measuredLimit(view);
  LIMITS_OF.set(view.draft, limit);
  return limit;
}

function measuredLimit(view: View): Span | null {
  const text = draftText(view);
  // No character takes more than six bytes on the wire.
  if (text.length * 6 < NEAR_LIMIT_BYTES) return null;
  const room = roomLeft(text);
  if (room > NEAR_LIMIT_BYTES) return null;
  return room < 0 ? span(`${bytes(-room)} too long `, 'warn') : span(`${bytes(room)} left `, 'dim');
}

/** At the right of the last row where it fits, else in a row of its own in place of the first one. */
function withLimit(rows: readonly Row[], limit: Span | null, columns: number): readonly Row[] {
  const last = rows.at(-1);
  if (limit === null || last === undefined) return rows;
  if (last.width + limit.text.length + 1 <= columns)
    return [...rows.slice(0, -1), bar(columns, last.spans, [limit])];
  return [...rows, bar(columns, [], [limit])];
}

/** One row that moves with the caret. */
function searchField(field: View['draft'], columns: number): ComposerRows {
  const room = Math.max(2, columns - SEARCH_PROMPT.length);
  const all = layoutText(field.text, room);
  const place = caretPlace(field.text, all, field.caret);
  const row = all[place.row];
  const shown =
    row === undefined ? BLANK_ROW : rowOf([span(SEARCH_PROMPT, 'accent'), span(row.text, 'text')]);
  return { rows: [shown], caret: { row: 0, column: SEARCH_PROMPT.length + place.column } };
}
