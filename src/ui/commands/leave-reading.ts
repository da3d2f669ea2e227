/** Ctrl+C while something is shown in full, searched or gone through: back to writing first, nothing else. */
import { released } from '../activity/activity-view.ts';
import type { Desk } from '../desk.ts';
import { searchLeft } from './search.ts';

/** Whether there was anything to leave. */
export function leaveReading({ view }: Desk): boolean {
  const { activity, browse, detail, picker, search } = view.getState();
  if (detail !== null) view.update((seen) => ({ ...seen, detail: null }));
  else if (activity.hasKeys) view.update((seen) => ({ ...seen, activity: released(seen.activity) }));
  else if (picker !== null) view.update((seen) => ({ ...seen, picker: null }));
  else if (search !== null) view.update((seen) => searchLeft(seen, search));
  else if (browse !== null) view.update((seen) => ({ ...seen, browse: null, scroll: browse.back }));
  return activity.hasKeys || (detail ?? picker ?? search ?? browse) !== null;
}
