/** Rows that end early say so. */
import { type Row, span } from '../../render/row.ts';
import { clipSpans, rowOf } from '../../render/row-builder.ts';

/** The first `room` of the rows; where some are left out the last one ends with an ellipsis, within `width` cells. */
export function cutRows(rows: readonly Row[], room: number, width: number): readonly Row[] {
  if (rows.length <= room) return rows;
  const shown = rows.slice(0, Math.max(0, room));
  const last = shown.pop();
  return last === undefined
    ? []
    : [...shown, rowOf([...clipSpans(last.spans, width - 2), span(' …', 'dim')])];
}
