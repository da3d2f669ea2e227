/** What only this window knows of the activity: whether it is shown, who has the keys, what is folded and chosen. */
import { hasActivity } from '../../transcript/activity.ts';
import type { LiveTurn } from '../../transcript/live-turn.ts';
import type { Size } from '../frame.ts';

export interface ActivityView {
  /** `auto`: beside the talk as soon as a turn of this window does something, where there is room. */
  readonly shown: 'auto' | 'on' | 'off';
  /** The keys go to the activity. */
  readonly hasKeys: boolean;
  /** The newest turn that was seen running here has done something. */
  readonly isBusy: boolean;
  /** The chosen node; null while the newest is followed. */
  readonly selected: string | null;
  readonly folded: ReadonlySet<string>;
}

export const INITIAL_ACTIVITY: ActivityView = {
  shown: 'auto',
  hasKeys: false,
  isBusy: false,
  selected: null,
  folded: new Set(),
};

/** What the keys do while it has them. */
export const ACTIVITY_KEYS = ['activity.fold', 'activity.open', 'activity.talk', 'activity.close'] as const;

/** From so many columns on the activity stands beside the talk; in a narrower window it takes the screen. */
const COLUMN_FROM = 110;
const ROOMY_FROM = 130;

/** Cells of the column beside the talk; 0 when there is none. */
export function activityCells(activity: ActivityView, columns: number): number {
  if (columns < COLUMN_FROM) return 0;
  const isShown = activity.shown === 'on' || (activity.shown === 'auto' && activity.isBusy);
  return isShown ? (columns < ROOMY_FROM ? 37 : 41) : 0;
}

/** Whether it takes the whole screen. */
export function overlays({
  activity,
  size,
}: {
  readonly activity: ActivityView;
  readonly size: Size;
}): boolean {
  return activity.hasKeys && size.columns < COLUMN_FROM;
}

/** The one key: shows the activity and gives it the keys; where it has them, it goes. */
export function toggled(activity: ActivityView, columns: number): ActivityView {
  if (!activity.hasKeys) return { ...activity, shown: shownWith(activity, columns), hasKeys: true };
  return {
    ...activity,
    shown: columns < COLUMN_FROM ? activity.shown : 'off',
    hasKeys: false,
    selected: null,
  };
}

function shownWith(activity: ActivityView, columns: number): ActivityView['shown'] {
  return columns < COLUMN_FROM || activityCells(activity, columns) > 0 ? activity.shown : 'on';
}

/** The keys go back to writing; the column stays. */
export function released(activity: ActivityView): ActivityView {
  return activity.hasKeys ? { ...activity, hasKeys: false, selected: null } : activity;
}

/** Another session was opened. */
export function leftBehind({ shown }: ActivityView): ActivityView {
  return { ...INITIAL_ACTIVITY, shown };
}

/** After a change of the state: a turn that does something shows itself until one has ended that did nothing. */
export function observed(
  activity: ActivityView,
  before: LiveTurn | null,
  live: LiveTurn | null,
): ActivityView {
  if (live !== null && hasActivity(live)) return activity.isBusy ? activity : { ...activity, isBusy: true };
  const hasEnded = live === null && before !== null && !hasActivity(before);
  return hasEnded && activity.isBusy ? { ...activity, isBusy: false } : activity;
}
