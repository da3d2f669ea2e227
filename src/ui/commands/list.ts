/** What the keys of the sessions list do. */
import type { Desk, Handler } from '../desk.ts';
import { show } from './chat.ts';
import { movedEntry } from './moved-entry.ts';

export const runList: Handler = (command, desk) => {
  const { conversation, store, view } = desk;
  const { rows } = store.getState().sessions;
  view.update((seen) => ({
    ...seen,
    selected: movedEntry(command, { at: seen.selected, count: rows.length, page: seen.size.rows - 4 }),
  }));
  switch (command) {
    case 'list.open':
      openSelected(desk);
      return;
    case 'list.new':
      show(desk, 'chat');
      conversation.startNew();
      return;
    case 'list.help':
      view.update((seen) => ({ ...seen, help: 0 }));
      return;
    case 'list.close':
      show(desk, 'chat');
      return;
  }
};

function openSelected({ conversation, store, view }: Desk): void {
  const { sessions, session } = store.getState();
  const row = sessions.rows[view.getState().selected];
  if (row === undefined) return;
  if (row.id !== session?.id) conversation.open(row.id, row.title);
  view.update((seen) => ({ ...seen, screen: 'chat', scroll: { kind: 'tail' } }));
}
