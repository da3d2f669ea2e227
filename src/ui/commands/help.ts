/** What the keys of the help do. */
import type { Handler } from '../desk.ts';
import { lastHelpTop } from '../screens/other.ts';
import { movedEntry } from './moved-entry.ts';

export const runHelp: Handler = (command, { view }) => {
  view.update((seen) => {
    if (seen.help === null) return seen;
    if (command === 'help.close') return { ...seen, help: null };
    const count = lastHelpTop(seen.size) + 1;
    return { ...seen, help: movedEntry(command, { at: seen.help, count, page: seen.size.rows - 4 }) };
  });
};
