/** The talk in its frame: the lane at its left, the scroll bar at its right, the rule below it. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import type { State } from '../../store/state.ts';
import { fitRows } from '../frame.ts';
import { bar } from '../rows/bar.ts';
import type { TalkWindow } from '../talk.ts';

const LANE_CELLS = 1;
const SCROLLBAR_CELLS = 2;

/** Cells that the text of the talk may use. */
export function talkWidth(columns: number): number {
  return Math.max(2, columns - LANE_CELLS - SCROLLBAR_CELLS);
}

export function talkRows(window: TalkWindow, state: State, columns: number, height: number): Row[] {
  const bare = window.total === 0 ? welcome(state, height) : window.rows;
  const thumb = thumbOf(window, height);
  return fitRows(bare, height).map((row, index) => {
    const mark = thumb === null ? ' ' : index >= thumb.start && index < thumb.end ? '█' : '│';
    if (mark === ' ') return row.width === 0 ? BLANK_ROW : rowOf([span(' ', 'text'), ...row.spans]);
    const gap = ' '.repeat(Math.max(1, columns - LANE_CELLS - row.width - 1));
    return rowOf([span(' ', 'text'), ...row.spans, span(gap, 'text'), span(mark, 'dim')]);
  });
}

function thumbOf(window: TalkWindow, height: number): { start: number; end: number } | null {
  if (window.total <= height) return null;
  const size = Math.max(1, Math.round((height * height) / window.total));
  const start = Math.round((window.top / (window.total - height)) * (height - size));
  return { start, end: start + size };
}

function welcome(state: State, height: number): Row[] {
  if (state.session !== null) return [];
  const text = [
    '  Ask for a change, a review, or an explanation.',
    '  The agent reads and edits files in this folder.',
  ];
  const above = Math.max(0, Math.floor((height - text.length) / 2));
  return [
    ...Array.from({ length: above }, () => BLANK_ROW),
    ...text.map((line) => rowOf([span(line, 'dim')])),
  ];
}

/** Says how much lies below, if the reader is not at the end. */
export function ruleRow(window: TalkWindow, columns: number): Row {
  if (window.below === 0) return rowOf([span('─'.repeat(columns), 'dim')]);
  const word = ` ${window.below} ${window.below === 1 ? 'row' : 'rows'} below ↓ Ctrl+End `;
  const tail = '──';
  const line = '─'.repeat(Math.max(0, columns - word.length - tail.length));
  return bar(columns, [span(line, 'dim'), span(word, 'accent'), span(tail, 'dim')], []);
}
