/** What the keys of the search for a sent message do. */
import { searchMoved, searchTaken } from '../completion/history-steps.ts';
import type { Handler } from '../desk.ts';

export const runHistory: Handler = (command, { edit, view }) => {
  switch (command) {
    case 'history.newer':
      view.update((seen) => searchMoved(seen, -1));
      return;
    case 'history.older':
      view.update((seen) => searchMoved(seen, 1));
      return;
    case 'history.accept':
      edit(searchTaken);
      return;
    case 'history.close':
      view.update((seen) => ({ ...seen, historySearch: null }));
      return;
  }
};
