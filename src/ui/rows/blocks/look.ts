/** What every kind of block is asked for: its rows at one fold, and the folds it has. */
import { type Row, span } from '../../../render/row.ts';
import { clipSpans, rowOf } from '../../../render/row-builder.ts';
import { keyName } from '../../keys/bindings.ts';
import type { Fold } from '../../reading/folds.ts';

export interface LookOptions {
  /** Cells. */
  readonly width: number;
  readonly fold: Fold;
}

export interface Look {
  readonly rows: readonly Row[];
  /** In the order in which folding goes round; fewer than two where nothing can be folded. */
  readonly folds: readonly Fold[];
}

/** A block that is always shown whole. */
export function whole(rows: readonly Row[]): Look {
  return { rows, folds: [] };
}

/** Details of at most so many rows are shown at once. */
export const MAX_DETAIL_ROWS = 20;

/** The first `most` rows and a count of the others, or all of them where they fit. */
export function bounded(rows: readonly Row[], most: number, indent: string, width: number): readonly Row[] {
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), moreRow(rows.length - most + 1, indent, width)];
}

function moreRow(count: number, indent: string, width: number): Row {
  const words = `${indent}… ${count.toLocaleString('en')} more ${count === 1 ? 'row' : 'rows'}`;
  const key = keyName('transcript.browse');
  const how = key === '' ? [] : [span(`  ${key}, Enter`, 'dim')];
  return rowOf(clipSpans([span(words, 'accent'), ...how], width));
}

/** A text that is long: its start folded, all of it open. */
export function longText(
  rows: readonly Row[],
  limit: number,
  shown: number,
  { fold, width }: LookOptions,
): Look {
  if (rows.length <= limit) return whole(rows);
  const indent = width > 24 ? '  ' : '';
  return { rows: fold === 'folded' ? bounded(rows, shown, indent, width) : rows, folds: ['folded', 'all'] };
}
