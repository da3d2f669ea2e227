/** The screens beside the chat: first start, sessions, help, and the notice of a window that is too small. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import type { Choice, State } from '../../store/state.ts';
import { contextsOf } from '../contexts.ts';
import { type Frame, fitRows, type Size } from '../frame.ts';
import type { CommandId, KeyContext } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import { helpRows } from '../rows/help-rows.ts';
import { hintsThatFit } from '../rows/hints.ts';
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
  const howTo = view.howTo || (state.notice?.text ?? '');
  const body = setupRows({ choices, selected: view.choice, howTo, folder }, columns, height - 1);
  const back: readonly CommandId[] = canAnswer(choices, state) ? ['choice.cancel'] : [];
  const ids: readonly CommandId[] = [
    ...back,
    'choice.accept',
    'chat.login',
    'choice.up',
    'choice.down',
    'chat.help',
    'chat.quit',
  ];
  return { rows: [...fitRows(body, height - 1), keysRow(ids, columns)], cursor: null };
}

/** Whether the one that was chosen before can go on, also with a model that no list names. */
function canAnswer(choices: readonly Choice[], { config }: State): boolean {
  return choices.some(
    ({ howTo, providerId, signIn }) =>
      howTo === '' && signIn !== true && providerId === config?.selection.provider_id,
  );
}

function keysRow(ids: readonly CommandId[], columns: number): Row {
  return bar(columns, [span(` ${hintsThatFit(ids, columns - 1)}`, 'dim')], []);
}

export function sessionsFrame(state: State, view: View, folder: string): Frame {
  const { columns, rows: height } = view.size;
  const body = sessionsRows(
    { list: state.sessions, selected: view.selected, folder, now: view.now },
    columns,
    height - 1,
  );
  const { notice } = state;
  // What happens meanwhile is told here, too.
  const keys =
    notice === null
      ? keysRow(['list.close', 'list.open', 'list.new', 'list.up', 'list.down', 'list.help'], columns)
      : bar(columns, [span(` ${sanitiseLine(notice.text)}`, notice.tone === 'warn' ? 'warn' : 'dim')], []);
  return { rows: [...fitRows(body, height - 1), keys], cursor: null };
}

/** Listen wherever somebody writes: the help keeps its order there. */
const USUAL: readonly KeyContext[] = ['chat', 'question', 'composer', 'completion', 'transcript'];

/** Whose keys the help begins with: those of the screen or the list that it was opened from; null for its usual order. */
export function helpAbout(state: State, view: View): KeyContext | null {
  const [innermost] = contextsOf(state, { ...view, help: null });
  return innermost === undefined || USUAL.includes(innermost) ? null : innermost;
}

/** @param about whose keys come first; null for those of everywhere */
export function helpFrame(top: number, about: KeyContext | null, size: Size): Frame {
  const rows = helpRows(size.columns, about);
  const room = size.rows - 3;
  const first = Math.min(top, lastHelpTop(size));
  const title = bar(size.columns, [span(' Keys', 'strong')], []);
  const place = rows.length > room ? `${Math.min(rows.length, first + room)} of ${rows.length} ` : '';
  const keys = hintsThatFit(['help.close', 'help.up', 'help.down'], size.columns - place.length - 2);
  const end = bar(size.columns, [span(` ${keys}`, 'dim')], [span(place, 'dim')]);
  return { rows: [title, BLANK_ROW, ...fitRows(visible(rows, first, room), room), end], cursor: null };
}

/** The lowest place that the help can be scrolled to. */
export function lastHelpTop(size: Size): number {
  return Math.max(0, helpRows(size.columns, null).length - (size.rows - 3));
}

function visible(rows: readonly Row[], top: number, room: number): readonly Row[] {
  return rows.slice(top, top + room);
}
