/** The talk in its frame: the lane at its left, the scroll bar at its right, the rule below it. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { textRows } from '../../render/wrap.ts';
import type { State } from '../../store/state.ts';
import { fitRows } from '../frame.ts';
import { keyName } from '../keys/bindings.ts';
import type { DressedRows } from '../reading/dress.ts';
import { bar } from '../rows/bar.ts';
import type { TalkWindow } from '../talk.ts';
import { framedRow } from './framed-row.ts';

const LANE_CELLS = 1;
const SCROLLBAR_CELLS = 2;

/** Cells that the text of the talk may use. */
export function talkWidth(columns: number): number {
  return Math.max(2, columns - LANE_CELLS - SCROLLBAR_CELLS);
}

export function talkRows(
  window: TalkWindow,
  { lane, rows }: DressedRows,
  state: State,
  { columns, height }: { readonly columns: number; readonly height: number },
): Row[] {
  const bare = window.total === 0 ? welcome(state, height, columns) : rows;
  const thumb = thumbOf(window, height);
  return fitRows(bare, height).map((row, index) => {
    const edge = lane[index] ?? span(' ', 'text');
    const mark = thumb === null ? ' ' : index >= thumb.start && index < thumb.end ? '█' : '│';
    return framedRow(row, { edge, mark, columns });
  });
}

function thumbOf(window: TalkWindow, height: number): { start: number; end: number } | null {
  if (window.total <= height) return null;
  const size = Math.max(1, Math.round((height * height) / window.total));
  const start = Math.round((window.top / (window.total - height)) * (height - size));
  return { start, end: start + size };
}

function welcome(state: State, height: number, columns: number): Row[] {
  if (state.session !== null) return [];
  const blank = [span('  ', 'text')];
  const text = [
    'Ask for a change, a review, or an explanation.',
    'The agent reads and edits files in this folder.',
  ].flatMap((line) => textRows(line, 'dim', columns - LANE_CELLS, { first: blank, rest: blank }));
  const above = Math.max(0, Math.floor((height - text.length) / 2));
  return [...Array.from({ length: above }, () => BLANK_ROW), ...text];
}

/** Says how much lies below, if the reader is not at the end. */
export function ruleRow(window: TalkWindow, columns: number): Row {
  if (window.below === 0 && !window.isCut) return rowOf([span('─'.repeat(columns), 'dim')]);
  const { below, fresh, isCut } = window;
  const isNew = fresh > 0;
  const count = isNew ? fresh : below;
  const rows = count === 1 ? 'row' : 'rows';
  const key = keyName('transcript.bottom');
  const word = isCut
    ? ` newer messages ↓ ${key} `
    : isNew
      ? ` ${count} new ${rows} ↓ ${key} `
      : ` ${count} ${rows} below ↓ ${key} `;
  const tail = '──';
  const line = '─'.repeat(Math.max(0, columns - word.length - tail.length));
  return bar(columns, [span(line, 'dim'), span(word, isNew ? 'accent' : 'dim'), span(tail, 'dim')], []);
}
