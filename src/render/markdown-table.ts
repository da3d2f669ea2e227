/** A Markdown table to rows: columns shrink and cells wrap; what can't be a grid becomes `header: value` rows. */
import { inlineSpans } from './markdown-inline.ts';
import type { Tokens } from './markdown-lexer.ts';
import { type Row, type Span, span } from './row.ts';
import { rowOf, spansWidth } from './row-builder.ts';
import { cellWidth } from './width.ts';
import { wrapSpans } from './wrap.ts';

const GUTTER = ' │ ';

/** A column narrower than this, with more to say, makes a table unreadable. */
const MIN_COLUMN = 4;
/** Longest word that the first sharing of cells tries not to break. */
const KEPT_WORD = 12;

type Align = Tokens.TableCell['align'];

interface Cell {
  readonly spans: readonly Span[];
  /** Width of the widest line, unwrapped. */
  readonly natural: number;
  readonly longestWord: number;
  readonly align: Align;
}

/** Rows of the table, at most `width` cells wide. */
export function tableRows(table: Tokens.Table, width: number): Row[] {
  const header = table.header.map((cell) => toCell(cell, 'strong'));
  const body = table.rows.map((row) => row.map((cell) => toCell(cell, 'text')));
  const room = width - frameWidth(header.length);
  const columns = columnWidths([header, ...body], room);
  if (columns === null) return stackedRows(header, body, width);
  const grid = gridRows(header, body, columns.widths);
  if (columns.words === 'whole') return grid;
  const stacked = stackedRows(header, body, width);
  return stacked.length < grid.length ? stacked : grid;
}

function toCell(cell: Tokens.TableCell, style: 'strong' | 'text'): Cell {
  const spans = inlineSpans(cell.tokens, style);
  const text = spans.map((part) => part.text).join('');
  return {
    spans,
    natural: widest(text.split('\n')),
    longestWord: widest(text.split(/\s+/)),
    align: cell.align,
  };
}

function widest(parts: readonly string[]): number {
  return parts.reduce((most, part) => Math.max(most, cellWidth(part)), 0);
}

/** Cells between the columns; there is no frame around them. */
function frameWidth(columns: number): number {
  return (columns - 1) * GUTTER.length;
}

interface Columns {
  readonly widths: readonly number[];
  /** Whether words of ordinary length had to be broken. */
  readonly words: 'whole' | 'broken';
}

/** Cells for each column, or null when they don't fit. */
function columnWidths(rows: ReadonlyArray<readonly Cell[]>, room: number): Columns | null {
  const columns = rows[0]?.length ?? 0;
  const natural = most(rows, columns, (cell) => Math.max(1, cell.natural));
  if (sum(natural) <= room) return { widths: natural, words: 'whole' };
  const word = most(rows, columns, (cell) => Math.max(MIN_COLUMN, Math.min(cell.longestWord, KEPT_WORD)));
  const whole = natural.map((cells, column) => Math.min(cells, word[column] ?? MIN_COLUMN));
  if (sum(whole) <= room) return { widths: share(whole, natural, room), words: 'whole' };
  const least = natural.map((cells) => Math.min(cells, MIN_COLUMN));
  return sum(least) <= room ? { widths: share(least, natural, room), words: 'broken' } : null;
}

function most(
  rows: ReadonlyArray<readonly Cell[]>,
  columns: number,
  measure: (cell: Cell) => number,
): number[] {
  return Array.from({ length: columns }, (_, column) =>
    rows.reduce((widestCell, row) => {
      const cell = row[column];
      return cell === undefined ? widestCell : Math.max(widestCell, measure(cell));
    }, 1),
  );
}

/** Raises the floors towards the natural widths evenly, until the room is used. */
function share(floor: readonly number[], natural: readonly number[], room: number): number[] {
  const at = (level: number) =>
    floor.map((least, column) => Math.max(least, Math.min(natural[column] ?? least, level)));
  let low = 0;
  let high = room;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(at(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = at(low);
  let left = room - sum(widths);
  return widths.map((cells, column) => {
    if (left === 0 || cells >= (natural[column] ?? cells)) return cells;
    left -= 1;
    return cells + 1;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}

function gridRows(
  header: readonly Cell[],
  body: ReadonlyArray<readonly Cell[]>,
  widths: readonly number[],
): Row[] {
  const rule = rowOf([span(widths.map((cells) => '─'.repeat(cells)).join('─┼─'), 'dim')]);
  const lines = body.map((row) => cellLines(row, widths));
  const needsRules = lines.some((rows) => rows.length > 1);
  const rows = [...cellLines(header, widths), rule];
  lines.forEach((group, index) => {
    if (index > 0 && needsRules) rows.push(rule);
    rows.push(...group);
  });
  return rows;
}

/** The screen rows of one table row. */
function cellLines(cells: readonly Cell[], widths: readonly number[]): Row[] {
  const wrapped = widths.map((width, column) => wrapSpans(cells[column]?.spans ?? [], Math.max(2, width)));
  const height = wrapped.reduce((tallest, rows) => Math.max(tallest, rows.length), 1);
  return Array.from({ length: height }, (_, line) => {
    const spans: Span[] = [];
    widths.forEach((width, column) => {
      const content = wrapped[column]?.[line]?.spans ?? [];
      const gap = Math.max(0, width - spansWidth(content));
      const before = leadingGap(cells[column]?.align ?? null, gap);
      const isLast = column === widths.length - 1;
      spans.push(
        span(' '.repeat(before), 'text'),
        ...content,
        span(isLast ? '' : ' '.repeat(gap - before), 'text'),
        span(isLast ? '' : GUTTER, 'dim'),
      );
    });
    return rowOf(spans);
  });
}

function leadingGap(align: Align, gap: number): number {
  switch (align) {
    case 'right':
      return gap;
    case 'center':
      return Math.floor(gap / 2);
    case 'left':
    case null:
      return 0;
  }
}

/** One `header: value` group per table row, a rule between groups. */
function stackedRows(header: readonly Cell[], body: ReadonlyArray<readonly Cell[]>, width: number): Row[] {
  const hang = { first: [], rest: width > 12 ? [span('  ', 'text')] : [] };
  if (body.length === 0) return header.flatMap((cell) => wrapSpans(cell.spans, width, hang));
  const rule = rowOf([span('─'.repeat(width), 'dim')]);
  return body.flatMap((row, index) => {
    const fields = row.flatMap((cell, column) => {
      const name = header[column]?.spans ?? [];
      const title = name.length === 0 ? [] : [...name, span(': ', 'dim')];
      return wrapSpans([...title, ...cell.spans], width, hang);
    });
    return index === 0 ? fields : [rule, ...fields];
  });
}
