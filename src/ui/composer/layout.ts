/**
 * The draft as rows of a given width.
 *
 * Invariants:
 * - rows cover the text in order; only newlines lie between them;
 * - no row is wider than `width - 1` cells (save one character that is wider than that), so the caret always has a cell;
 * - a caret at a soft wrap stands at the start of the lower row.
 */
import { characterCells, charactersOf, type DraftLook, PLAIN_LOOK, shownCharacter } from './cells.ts';
import { type Folds, NO_FOLDS } from './folds.ts';
import type { TextBuffer } from './text-buffer.ts';

export interface DraftRow {
  /** Offset of the first unit, and of the one after the last (UTF-16 units). */
  readonly start: number;
  readonly end: number;
  /** What is drawn: tabs are spaces, folded pastes their labels. */
  readonly text: string;
  /** Width of `text`, cells. */
  readonly cells: number;
}

/** Where the caret is: the row's index and the column in cells, both from 0. */
export interface CaretPlace {
  readonly row: number;
  readonly column: number;
}

/** Returns the rows of a text wrapped at `width` cells, at words where a row holds one, else at characters. */
export function layoutText(text: string, width: number, folds: Folds = NO_FOLDS): readonly DraftRow[] {
  return new DraftLayout().rows(text, width, folds);
}

/** Returns what a draft of a width is drawn with. */
export function lookAt(width: number, folds: Folds): DraftLook {
  return { folds, limit: Math.max(1, width - 1) };
}

/** Lays out one draft again and again: only lines that changed since the last time are wrapped. */
export class DraftLayout {
  #look = PLAIN_LOOK;
  #wrapped: ReadonlyMap<string, readonly DraftRow[]> = new Map();

  /** Returns the rows of the text at `width` cells, as layoutText() does. */
  rows(text: string, width: number, folds: Folds = NO_FOLDS): readonly DraftRow[] {
    const look = lookAt(width, folds);
    const isSame = look.limit === this.#look.limit && folds === this.#look.folds;
    const known = isSame ? this.#wrapped : new Map<string, readonly DraftRow[]>();
    const wrapped = new Map<string, readonly DraftRow[]>();
    const rows: DraftRow[] = [];
    let start = 0;
    for (const line of text.split('\n')) {
      const lineRows = wrapped.get(line) ?? known.get(line) ?? wrapLine(line, look);
      wrapped.set(line, lineRows);
      for (const row of lineRows) rows.push({ ...row, start: row.start + start, end: row.end + start });
      start += line.length + 1;
    }
    this.#look = look;
    this.#wrapped = wrapped;
    return rows;
  }
}

/** Returns where the caret stands among the rows. */
export function caretPlace(
  text: string,
  rows: readonly DraftRow[],
  caret: number,
  look: DraftLook = PLAIN_LOOK,
): CaretPlace {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.start ?? 0) <= caret) low = middle;
    else high = middle - 1;
  }
  return { row: low, column: cellsOf(text.slice(rows[low]?.start ?? 0, caret), look) };
}

/**
 * Returns the first visible row of a window of at most `height` rows that shows the caret's row. The window moves no
 * more than it must from `previousTop` and leaves no empty rows at its end.
 */
export function windowTop(options: {
  readonly rowCount: number;
  readonly caretRow: number;
  readonly height: number;
  readonly previousTop: number;
}): number {
  const { rowCount, caretRow, height, previousTop } = options;
  const size = Math.max(1, height);
  const shown = Math.min(Math.max(previousTop, caretRow - size + 1), caretRow);
  return Math.max(0, Math.min(shown, rowCount - size));
}

/** Returns the buffer with the caret one row up at a width, keeping its column where rows allow; null on the first row. */
export function moveRowUp(buffer: TextBuffer, width: number, folds: Folds = NO_FOLDS): TextBuffer | null {
  return moveRow(buffer, lookAt(width, folds), layoutText(buffer.text, width, folds), -1);
}

/** Returns the buffer with the caret one row down at a width, keeping its column where rows allow; null on the last row. */
export function moveRowDown(buffer: TextBuffer, width: number, folds: Folds = NO_FOLDS): TextBuffer | null {
  return moveRow(buffer, lookAt(width, folds), layoutText(buffer.text, width, folds), 1);
}

function moveRow(
  buffer: TextBuffer,
  look: DraftLook,
  rows: readonly DraftRow[],
  by: -1 | 1,
): TextBuffer | null {
  const place = caretPlace(buffer.text, rows, buffer.caret, look);
  const target = rows[place.row + by];
  if (target === undefined) return null;
  const column = buffer.preferredColumn ?? place.column;
  // The end of a soft-wrapped row is the start of the next one; the caret must not land there.
  const isSoft = rows[place.row + by + 1]?.start === target.end;
  const caret = offsetAt(buffer.text, target, {
    column,
    end: isSoft ? 'before-last' : 'after-last',
    look,
  });
  return { ...buffer, caret, preferredColumn: column, lastEdit: 'other' };
}

function offsetAt(
  text: string,
  row: DraftRow,
  want: {
    readonly column: number;
    readonly end: 'before-last' | 'after-last';
    readonly look: DraftLook;
  },
): number {
  const characters = charactersOf(text.slice(row.start, row.end));
  const last = want.end === 'before-last' ? characters.length - 1 : characters.length;
  let offset = row.start;
  let cells = 0;
  for (const character of characters.slice(0, last)) {
    cells += characterCells(character, want.look);
    if (cells > want.column) break;
    offset += character.length;
  }
  return offset;
}

function wrapLine(line: string, look: DraftLook): readonly DraftRow[] {
  const rows: DraftRow[] = [];
  const characters = charactersOf(line);
  let from = 0;
  let start = 0;
  while (from < characters.length) {
    const to = rowBreak(characters, from, look);
    const part = characters.slice(from, to);
    const end = start + part.reduce((units, character) => units + character.length, 0);
    const text = part.map((character) => shownCharacter(character, look)).join('');
    rows.push({
      start,
      end,
      text,
      cells: part.reduce((sum, character) => sum + characterCells(character, look), 0),
    });
    from = to;
    start = end;
  }
  return rows.length === 0 ? [{ start: 0, end: 0, text: '', cells: 0 }] : rows;
}

/** Returns the index after the last character of the row that starts at `from`. */
function rowBreak(characters: readonly string[], from: number, look: DraftLook): number {
  let cells = 0;
  let afterSpace = from;
  for (let index = from; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    cells += characterCells(character, look);
    const isSpace = character === ' ' || character === '\t';
    if (cells > look.limit && index > from) return isSpace || afterSpace === from ? index : afterSpace;
    if (isSpace) afterSpace = index + 1;
  }
  return characters.length;
}

function cellsOf(text: string, look: DraftLook): number {
  return charactersOf(text).reduce((sum, character) => sum + characterCells(character, look), 0);
}
