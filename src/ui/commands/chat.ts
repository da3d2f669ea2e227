/** What the keys that act everywhere do. */
import { toggled } from '../activity/activity-view.ts';
import type { Desk, Handler } from '../desk.ts';
import type { View } from '../view.ts';
import { leaveReading } from './leave-reading.ts';
import { leaveScreen } from './leave-screen.ts';
import { openLogin } from './login.ts';
import { nextPermission, openPicker } from './picker.ts';
import { openSettings } from './settings.ts';
import { pressWayOut } from './way-out.ts';

export const runChat: Handler = (command, desk, moment) => {
  const { conversation, view } = desk;
  switch (command) {
    case 'chat.interrupt':
      if (!leaveReading(desk) && !leaveScreen(desk)) pressWayOut('ctrl-c', desk, moment);
      return;
    case 'chat.quit':
      if (!leaveScreen(desk)) pressWayOut('ctrl-d', desk, moment);
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
      conversation.startNew();
      return;
    case 'chat.providers':
      show(desk, 'chat');
      conversation.askWho();
      return;
    case 'chat.login':
      openLogin(desk);
      return;
    case 'chat.settings':
      openSettings(desk);
      return;
    case 'chat.model':
      openPicker(desk, 'model');
      return;
    case 'chat.thinking':
      openPicker(desk, 'thinking');
      return;
    case 'chat.permission':
      openPicker(desk, 'permission');
      return;
    case 'chat.permission-next':
      nextPermission(desk);
      return;
    case 'chat.choices':
      openPicker(desk, 'choices');
      return;
    case 'chat.activity':
      if (desk.store.getState().setup !== null) return;
      view.update((seen) => ({
        ...seen,
        screen: 'chat',
        help: null,
        detail: null,
        picker: null,
        activity: toggled(seen.activity, seen.size.columns),
      }));
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
  view.update((seen) => ({ ...seen, screen, help: null, picker: null }));
}
