/** The line in front of what came while the reader was elsewhere. */
import { type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';

const LINE_CELLS = 24;

export function unreadRow(width: number): Row {
  const line = '─'.repeat(Math.max(1, Math.floor((Math.min(width, LINE_CELLS) - ' new '.length) / 2)));
  return rowOf([span(line, 'dim'), span(' new ', 'accent'), span(line, 'dim')]);
}
