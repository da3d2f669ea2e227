/** The list of past sessions. */
import { BLANK_ROW, type Row, type Style, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import type { SessionList, SessionRow } from '../../store/state.ts';
import { bar } from './bar.ts';
import { day } from './format.ts';

export interface SessionsInput {
  readonly list: SessionList;
  readonly selected: number;
  readonly folder: string;
  /** Unix time, ms. */
  readonly now: number;
}

/** Exactly `height` rows of at most `width` cells: title row, then the part of the list around the selection. */
export function sessionsRows(input: SessionsInput, width: number, height: number): readonly Row[] {
  const { list } = input;
  const marks = [
    list.loading ? 'loading…' : `${list.rows.length}`,
    ...(list.incomplete ? ['incomplete: some could not be read'] : []),
  ];
  const rows: Row[] = [
    bar(
      width,
      [span(' Sessions', 'strong'), span(` · ${sanitiseLine(input.folder)}`, 'dim')],
      [span(`${marks.join(' · ')} `, 'dim')],
    ),
  ];
  if (list.failure !== '') rows.push(bar(width, [span(` ${sanitiseLine(list.failure)}`, 'bad')], []));
  rows.push(BLANK_ROW);
  const room = Math.max(1, height - rows.length);
  if (list.rows.length === 0 && !list.loading)
    rows.push(bar(width, [span('   No sessions yet. Esc goes back; just type a message.', 'dim')], []));
  const first = firstVisible(input.selected, list.rows.length, room);
  for (const [offset, row] of list.rows.slice(first, first + room).entries()) {
    rows.push(sessionRow(row, first + offset === input.selected, input.now, width));
  }
  while (rows.length < height) rows.push(BLANK_ROW);
  return rows.slice(0, height);
}

function firstVisible(selected: number, count: number, room: number): number {
  return Math.max(0, Math.min(selected - Math.floor(room / 2), count - room));
}

const WHERE: Record<SessionRow['where'], { word: string; style: Style }> = {
  here: { word: 'here', style: 'good' },
  free: { word: '', style: 'dim' },
  elsewhere: { word: 'in use', style: 'warn' },
  unknown: { word: '', style: 'dim' },
};

function sessionRow(row: SessionRow, selected: boolean, now: number, width: number): Row {
  const when = day(row.updatedAt, now);
  const { word, style } = WHERE[row.where];
  const right = [span(`${word}${word === '' ? '' : '  '}`, style), span(`${when.padStart(15)} `, 'dim')];
  const room = Math.max(4, width - 20 - cellWidth(word));
  const title = sanitiseLine(row.title) || `(no title) ${row.id.slice(0, 8)}`;
  const mark = selected ? span(' › ', 'accent') : span('   ', 'text');
  return bar(width, [mark, span(truncate(title, room), selected ? 'strong' : 'text')], right);
}
