/** What the keys that act everywhere do. */
import type { Desk, Handler } from '../desk.ts';
import type { View } from '../view.ts';
import { pressWayOut } from './way-out.ts';

export const runChat: Handler = (command, desk, moment) => {
  const { conversation, view } = desk;
  switch (command) {
    case 'chat.interrupt':
      pressWayOut('ctrl-c', desk, moment);
      return;
    case 'chat.quit':
      pressWayOut('ctrl-d', desk, moment);
      return;
    case 'chat.stop':
      pressWayOut('escape', desk, moment);
      return;
    case 'chat.help':
      view.update((seen) => ({ ...seen, help: 0 }));
      return;
    case 'chat.sessions':
      if (view.getState().screen === 'sessions') show(desk, 'chat');
      else {
        show(desk, 'sessions');
        conversation.listSessions();
      }
      return;
    case 'chat.new-session':
      show(desk, 'chat');
      conversation.keepDraft(view.getState().draft.text);
      conversation.startNew();
      return;
    case 'chat.providers':
      show(desk, 'chat');
      conversation.askWho();
      return;
    case 'chat.suspend':
      desk.suspend();
      return;
    case 'chat.redraw':
      desk.redraw();
      return;
  }
};

/** Shows a screen, without what lay over the one before. */
export function show({ view }: Desk, screen: View['screen']): void {
  view.update((seen) => ({ ...seen, screen, help: null }));
}
