/** A link as a picture for a phone. Two squares stand in one cell, dark on light, whatever the theme is. */
import { type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';

/** Squares of light around it, without which a camera finds nothing. */
const BORDER = 2;

/** Rows of a code that were made from squares; `true` is dark. */
export function qrRows(squares: readonly (readonly boolean[])[]): readonly Row[] {
  const size = squares.length + 2 * BORDER;
  const isDark = (x: number, y: number): boolean => squares[y - BORDER]?.[x - BORDER] ?? false;
  const rows: Row[] = [];
  for (let y = 0; y < size; y += 2) {
    let text = '';
    for (let x = 0; x < size; x += 1) text += cell(isDark(x, y), y + 1 < size && isDark(x, y + 1));
    rows.push(rowOf([span(text, 'picture')]));
  }
  return rows;
}

/** Drawn in light on dark: the letters are the light squares. */
function cell(isTopDark: boolean, isBottomDark: boolean): string {
  if (isTopDark) return isBottomDark ? ' ' : '▄';
  return isBottomDark ? '▀' : '█';
}
