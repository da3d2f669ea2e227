/** The activity beside the talk, a thin rule between them. */
import { type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import type { State } from '../../store/state.ts';
import { activityCells } from '../activity/activity-view.ts';
import { panelRows } from '../activity/panel.ts';
import { shownTurn } from '../activity/shown-turn.ts';
import type { View } from '../view.ts';

const RULE = span('│ ', 'dim');
const RULE_CELLS = 2;

/** Columns that the talk has, its lane and its scroll bar included. */
export function talkColumns({ activity, size }: Pick<View, 'activity' | 'size'>): number {
  return size.columns - activityCells(activity, size.columns);
}

/** Rows of the talk with the activity at their right, where it is shown. */
export function besideTalk(talk: readonly Row[], state: State, view: View): readonly Row[] {
  const left = talkColumns(view);
  const cells = view.size.columns - left;
  if (cells === 0) return talk;
  const shown = shownTurn(state, view.scroll);
  const { activity, now } = view;
  const panel = panelRows({ shown, activity, now }, cells - RULE_CELLS, talk.length);
  return talk.map((row, index) =>
    rowOf([
      ...row.spans,
      span(' '.repeat(Math.max(0, left - row.width)), 'text'),
      RULE,
      ...(panel[index]?.spans ?? []),
    ]),
  );
}
