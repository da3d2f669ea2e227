/** The screens beside the chat: first start, sessions, help, and the notice of a window that is too small. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import type { Choice, State } from '../../store/state.ts';
import { type Frame, fitRows, type Size } from '../frame.ts';
import { bar } from '../rows/bar.ts';
import { helpRows } from '../rows/help-rows.ts';
import { sessionsRows } from '../rows/sessions-rows.ts';
import { setupRows } from '../rows/setup-rows.ts';
import type { View } from '../view.ts';

export function tooSmallFrame(size: Size): Frame {
  return {
    rows: fitRows([bar(size.columns, [span('Window too small', 'warn')], [])], size.rows),
    cursor: null,
  };
}

export function setupFrame(choices: readonly Choice[], state: State, view: View, folder: string): Frame {
  const { columns, rows: height } = view.size;
  const top = height >= 14 ? [BLANK_ROW, BLANK_ROW] : [];
  const body = [
    ...top,
    ...setupRows(
      { choices, selected: view.choice, howTo: view.howTo || (state.notice?.text ?? ''), folder },
      columns,
    ),
  ];
  const keys = bar(columns, [span('   Enter choose · ↑↓ move · F1 keys · Ctrl+C twice to leave', 'dim')], []);
  return { rows: [...fitRows(body, height - 1), keys], cursor: null };
}

export function sessionsFrame(state: State, view: View, folder: string): Frame {
  const { columns, rows: height } = view.size;
  const body = sessionsRows(
    { list: state.sessions, selected: view.selected, folder, now: view.now },
    columns,
    height - 1,
  );
  const { notice } = state;
  const hints = span(' Enter open · n new · ↑↓ move · F1 keys · Esc back', 'dim');
  // What happens meanwhile is told here, too.
  const said =
    notice === null ? hints : span(` ${sanitiseLine(notice.text)}`, notice.tone === 'warn' ? 'warn' : 'dim');
  const keys = bar(columns, [said], []);
  return { rows: [...fitRows(body, height - 1), keys], cursor: null };
}

export function helpFrame(top: number, size: Size): Frame {
  const rows = helpRows(size.columns);
  const room = size.rows - 3;
  const first = Math.min(top, lastHelpTop(size));
  const title = bar(size.columns, [span(' Keys', 'strong')], []);
  const end = bar(
    size.columns,
    [span(' ↑↓ scroll · Esc close', 'dim')],
    rows.length > room ? [span(`${Math.min(rows.length, first + room)} of ${rows.length} `, 'dim')] : [],
  );
  return { rows: [title, BLANK_ROW, ...fitRows(visible(rows, first, room), room), end], cursor: null };
}

/** The lowest place that the help can be scrolled to. */
export function lastHelpTop(size: Size): number {
  return Math.max(0, helpRows(size.columns).length - (size.rows - 3));
}

function visible(rows: readonly Row[], top: number, room: number): readonly Row[] {
  return rows.slice(top, top + room);
}
