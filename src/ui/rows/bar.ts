/** One row with something at its left and something at its right. */

import { type Row, type Span, span } from '../../render/row.ts';
import { clipSpans, rowOf, spansWidth } from '../../render/row-builder.ts';

/** The right part is kept whole where it fits; the left part gives way. Never wider than `width` cells. */
export function bar(width: number, left: readonly Span[], right: readonly Span[]): Row {
  const end = clipSpans(right, width);
  const room = width - spansWidth(end);
  const start = clipSpans(left, Math.max(0, end.length === 0 ? room : room - 1));
  const gap = room - spansWidth(start);
  return rowOf([...start, span(' '.repeat(Math.max(0, gap)), 'text'), ...end]);
}
