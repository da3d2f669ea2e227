/**
 * How many cells text takes. Agrees with `string-width`, which ink lays out by.
 * Text is sanitised before it is measured: a tab or a newline has no width here.
 */
import stringWidth from 'string-width';
import { splitGraphemes } from 'unicode-segmenter/grapheme';

const ASCII = /^[\u0020-\u007e]*$/;
const CACHE_ENTRIES = 4096;
const CACHED_LENGTH = 64;
const cache = new Map<string, number>();

export const TAB_CELLS = 4;
const ELLIPSIS = '…';

/** Whether every character is printable ASCII, one cell each. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Width of the text in cells. */
export function cellWidth(text: string): number {
  if (isAscii(text)) return text.length;
  if (text.length > CACHED_LENGTH) return stringWidth(text);
  const known = cache.get(text);
  if (known !== undefined) return known;
  const width = stringWidth(text);
  if (cache.size >= CACHE_ENTRIES) cache.clear();
  cache.set(text, width);
  return width;
}

/** The visible characters of the text, in order; joined together they are the text. */
export function graphemes(text: string): Iterable<string> {
  return isAscii(text) ? text : splitGraphemes(text);
}

/** The text itself if it fits into `cells`, else its beginning and an ellipsis: never wider than `cells`. */
export function truncate(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  if (cells < 1) return '';
  return takeCells(text, cells - 1) + ELLIPSIS;
}

/** The longest beginning of the text, in whole visible characters, that is at most `cells` wide. */
export function takeCells(text: string, cells: number): string {
  let taken = '';
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += cellWidth(grapheme);
    if (width > cells) break;
    taken += grapheme;
  }
  return taken;
}

/** The text with each tab replaced by spaces up to the next stop of 4 cells, counted from each line's start. */
export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  return text.split('\n').map(expandLine).join('\n');
}

function expandLine(line: string): string {
  const [head = '', ...rest] = line.split('\t');
  let expanded = head;
  let column = cellWidth(head);
  for (const part of rest) {
    const gap = TAB_CELLS - (column % TAB_CELLS);
    expanded += ' '.repeat(gap) + part;
    column += gap + cellWidth(part);
  }
  return expanded;
}
