/**
 * A row of the talk between what stands at its left and at its right.
 * Invariant: the same row in the same frame is the same object, so that it is painted once however often it is drawn.
 */
import { BLANK_ROW, type Row, type Span, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';

export interface RowFrame {
  /** The cell at the left. */
  readonly edge: Span;
  /** The cell of the scroll bar; a blank for none. */
  readonly mark: string;
  /** Cells between the two, both included. */
  readonly columns: number;
}

const EDGE_CELLS = 1;
/** Frames that are remembered of one row: those of a frame or two, and no more. */
const KEPT = 8;

const framed = new WeakMap<Row, Map<string, Row>>();

export function framedRow(row: Row, frame: RowFrame): Row {
  const { columns, edge, mark } = frame;
  if (mark === ' ' && edge.text === ' ' && row.width === 0) return BLANK_ROW;
  const known = framed.get(row) ?? new Map<string, Row>();
  framed.set(row, known);
  const key = `${columns} ${mark} ${edge.style} ${edge.text}`;
  const made = known.get(key) ?? withFrame(row, frame);
  if (known.size >= KEPT) known.clear();
  known.set(key, made);
  return made;
}

function withFrame(row: Row, { columns, edge, mark }: RowFrame): Row {
  if (mark === ' ') return rowOf([edge, ...row.spans]);
  const gap = ' '.repeat(Math.max(1, columns - EDGE_CELLS - row.width - 1));
  return rowOf([edge, ...row.spans, span(gap, 'text'), span(mark, 'dim')]);
}
