/** The activity on a screen of its own, where there is no room beside the talk. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import type { State } from '../../store/state.ts';
import { ACTIVITY_KEYS } from '../activity/activity-view.ts';
import { panelRows } from '../activity/panel.ts';
import { shownTurn } from '../activity/shown-turn.ts';
import { type Frame, fitRows } from '../frame.ts';
import { keyHint } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import type { View } from '../view.ts';

export function activityFrame(state: State, view: View): Frame {
  const { columns, rows } = view.size;
  const input = { shown: shownTurn(state, view.scroll), activity: view.activity, now: view.now };
  const body = panelRows(input, Math.max(1, columns - 2), rows - 1);
  return { rows: [...fitRows(body.map(indented), rows - 1), keysRow(state, columns)], cursor: null };
}

function indented(row: Row): Row {
  return row.width === 0 ? BLANK_ROW : rowOf([span(' ', 'text'), ...row.spans]);
}

/** A question of the agent stands behind this screen: it must not be overlooked. */
function keysRow({ live }: State, columns: number): Row {
  const asks = (live?.envelopes?.questions.length ?? 0) > 0;
  const keys = ACTIVITY_KEYS.map(keyHint).join(' · ');
  if (!asks) return bar(columns, [span(` ${keys}`, 'dim')], []);
  return bar(
    columns,
    [span(' ? waiting for your answer', 'warn')],
    [span(`${keyHint('activity.close')} `, 'dim')],
  );
}
