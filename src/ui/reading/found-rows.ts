/** Finds in rows as they are shown: where to go, and what to mark. */
import { type MarkedRange, markRanges } from '../../render/mark-matches.ts';
import { type Row, rowText } from '../../render/row.ts';
import type { Needle } from './needle.ts';

export interface FoundRow {
  /** Index of the row. */
  readonly row: number;
  /** Place of the find among those of the row. */
  readonly nth: number;
}

/** The row that shows a block's nth find; the last one that shows any where it shows fewer; null where it shows none. */
export function locate(
  rows: readonly Row[],
  needle: Needle,
  nth: number,
): (FoundRow & { exact: boolean }) | null {
  let left = nth;
  let last: FoundRow | null = null;
  for (const [row, content] of rows.entries()) {
    const count = [...rowText(content).matchAll(needle.pattern())].length;
    if (count === 0) continue;
    if (left < count) return { row, nth: left, exact: true };
    last = { row, nth: count - 1 };
    left -= count;
  }
  return last === null ? null : { ...last, exact: false };
}

/** The row with every find marked, the chosen one more than the others. */
export function withFinds(row: Row, needle: Needle, chosen: number | null): Row {
  const ranges = [...rowText(row).matchAll(needle.pattern())].map(
    (match, index): MarkedRange => ({
      start: match.index,
      end: match.index + match[0].length,
      style: index === chosen ? 'selected' : 'match',
    }),
  );
  return markRanges(row, ranges);
}
