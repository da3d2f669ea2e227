/**
 * The activity of one turn as exactly so many rows: what it is, work over time, the tree, what was not told.
 * Beside the talk and on a screen of its own it looks the same.
 */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { type ActivityTree, countTools } from '../../transcript/activity.ts';
import { fitRows } from '../frame.ts';
import { bar } from '../rows/bar.ts';
import { clock, seconds } from '../rows/format.ts';
import type { ActivityView } from './activity-view.ts';
import { type ActivityLine, activityLines, chosenLine } from './lines.ts';
import { ribbonRows } from './ribbon.ts';
import type { ShownTurn } from './shown-turn.ts';
import { lineRow } from './tree-rows.ts';

export interface PanelInput {
  readonly shown: ShownTurn;
  readonly activity: ActivityView;
  /** Unix time, ms. */
  readonly now: number;
}

/** Below so many rows the tree needs all of them. */
const RIBBON_FROM_ROWS = 12;
/** Below so many rows there is no room to say what is left out above and below. */
const COUNTED_FROM_ROWS = 4;

/** Exactly `height` rows of at most `width` cells. */
export function panelRows(input: PanelInput, width: number, height: number): Row[] {
  const { activity, now, shown } = input;
  const { tree } = shown;
  const ribbon = height < RIBBON_FROM_ROWS ? [] : ribbonRows(tree, now, width);
  const head = [titleRow(shown, now, width), ...ribbon, ...(ribbon.length > 0 ? [BLANK_ROW] : [])];
  const foot = droppedRows(tree, width);
  const lines = activityLines(tree.nodes, activity.folded);
  const room = Math.max(1, height - head.length - foot.length);
  const body = lines.length === 0 ? [nothingRow(tree, width)] : windowRows(lines, input, width, room);
  return fitRows([...head, ...body, ...foot], height);
}

const NAMES: Readonly<Record<ShownTurn['which'], string>> = {
  this: 'Activity',
  last: 'Last turn',
  earlier: 'Earlier turn',
};

function titleRow({ tree, which }: ShownTurn, now: number, width: number): Row {
  const tools = countTools(tree.nodes);
  const { endedAt, startedAt } = tree;
  const running = clock(Math.max(0, now - (startedAt ?? now)));
  const time = startedAt === null ? [] : [endedAt === null ? running : seconds(endedAt - startedAt)];
  const facts = [...(tools === 0 ? [] : [`${tools} ${tools === 1 ? 'tool' : 'tools'}`]), ...time];
  return bar(width, [span(NAMES[which], 'heading')], [span(facts.join(' · '), 'dim')]);
}

function nothingRow({ endedAt, startedAt }: ActivityTree, width: number): Row {
  const isRunning = endedAt === null && startedAt !== null;
  return bar(width, [span(isRunning ? 'Nothing yet' : 'No tool was used in this turn', 'dim')], []);
}

/** What the service left out, never guessed. */
function droppedRows({ dropped }: ActivityTree, width: number): Row[] {
  if (dropped === 0) return [];
  const words = `${dropped.toLocaleString('en')} ${dropped === 1 ? 'update' : 'updates'} not told`;
  return [bar(width, [span(`┆ ${words}`, 'warn')], [])];
}

/** The lines around the chosen one; the newest while none is. */
function windowRows(
  lines: readonly ActivityLine[],
  { activity, now }: PanelInput,
  width: number,
  room: number,
): Row[] {
  const chosen = chosenLine(lines, activity.selected);
  const isCounted = lines.length > room && room >= COUNTED_FROM_ROWS;
  const inner = isCounted ? room - 2 : room;
  const first = Math.max(0, Math.min(chosen - Math.floor(inner / 2), lines.length - inner));
  const rows = lines
    .slice(first, first + inner)
    .map((line, index) => lineRow(line, now, width, activity.hasKeys && first + index === chosen));
  if (!isCounted) return rows;
  return [countRow('↑', first), ...rows, countRow('↓', lines.length - first - inner)];
}

function countRow(arrow: string, count: number): Row {
  return count === 0 ? BLANK_ROW : rowOf([span(`${arrow} ${count.toLocaleString('en')} more`, 'dim')]);
}
