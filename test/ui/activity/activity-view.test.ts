/** When the activity is shown, and who has the keys. */
import { describe, expect, it } from 'vitest';
import { applyActivity, beginTurn, type LiveTurn } from '../../../src/transcript/live-turn.ts';
import {
  type ActivityView,
  activityCells,
  INITIAL_ACTIVITY,
  leftBehind,
  observed,
  overlays,
  released,
  toggled,
} from '../../../src/ui/activity/activity-view.ts';

const context = { newId: () => 'id', now: 1 };
const quiet: LiveTurn = beginTurn('t', context);
const busy: LiveTurn = applyActivity(
  quiet,
  {
    kind: 'tool',
    activity_id: 'a',
    tool_id: 't',
    tool_name: 'read',
    server_id: null,
    transport: 'local',
    status: 'running',
    timed_out: null,
    details_omitted: true,
  },
  context,
);

const watched = (...turns: (LiveTurn | null)[]): ActivityView =>
  turns.reduce<[ActivityView, LiveTurn | null]>(
    ([view, before], live) => [observed(view, before, live), live],
    [INITIAL_ACTIVITY, null],
  )[0];

describe('by itself', () => {
  it('stands beside the talk once a turn does something, where there is room', () => {
    expect(activityCells(watched(quiet), 120)).toBe(0);
    expect(activityCells(watched(quiet, busy), 120)).toBeGreaterThan(30);
    expect(activityCells(watched(quiet, busy), 109)).toBe(0);
  });

  it('stays until a turn has ended that did nothing, and does not blink in between', () => {
    expect(activityCells(watched(quiet, busy, null, quiet), 120)).toBeGreaterThan(0);
    expect(activityCells(watched(quiet, busy, null, quiet, busy, null), 120)).toBeGreaterThan(0);
    expect(activityCells(watched(quiet, busy, null, quiet, null), 120)).toBe(0);
  });

  it('is not there for another session', () => {
    expect(activityCells(leftBehind(watched(busy)), 120)).toBe(0);
  });
});

describe('the key', () => {
  it('shows it with the keys, hides it, and shows it again', () => {
    const shown = toggled(INITIAL_ACTIVITY, 120);
    expect([activityCells(shown, 120) > 0, shown.hasKeys]).toEqual([true, true]);
    const hidden = toggled(shown, 120);
    expect([activityCells(hidden, 120), hidden.hasKeys]).toEqual([0, false]);
    expect(activityCells(observed(hidden, null, busy), 120)).toBe(0);
    expect(activityCells(toggled(hidden, 120), 120)).toBeGreaterThan(0);
  });

  it('goes to a column that is there before it hides it', () => {
    const gone = toggled(watched(busy), 120);
    expect([activityCells(gone, 120) > 0, gone.hasKeys]).toEqual([true, true]);
    const back = released(gone);
    expect([activityCells(back, 120) > 0, back.hasKeys]).toEqual([true, false]);
  });

  it('takes the screen in a narrow window and changes nothing for a wide one', () => {
    const size = { columns: 80, rows: 24 };
    const shown = toggled(INITIAL_ACTIVITY, 80);
    expect(overlays({ activity: shown, size })).toBe(true);
    expect(overlays({ activity: shown, size: { columns: 120, rows: 24 } })).toBe(false);
    const hidden = toggled(shown, 80);
    expect(hidden).toEqual(INITIAL_ACTIVITY);
  });
});
