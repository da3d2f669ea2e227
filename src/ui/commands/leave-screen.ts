/** Ctrl+C and Ctrl+D away from the chat: back to it, as Esc goes, and nothing else. What lies behind a screen is not touched. */
import type { Desk } from '../desk.ts';

/** Whether there was a screen to leave. */
export function leaveScreen({ run, store, view }: Desk): boolean {
  const { help, screen } = view.getState();
  if (help !== null) {
    view.update((seen) => ({ ...seen, help: null }));
    return true;
  }
  switch (screen) {
    case 'chat':
      return false;
    case 'login': {
      // A cancellation that takes its time is not waited for twice: its end is told in the chat.
      const { signIn } = store.getState();
      if (signIn?.end === null && signIn.cancelling) view.update((seen) => ({ ...seen, screen: 'chat' }));
      else run('login.back');
      return true;
    }
    case 'settings':
      run('settings.back');
      return true;
    case 'sessions':
      view.update((seen) => ({ ...seen, screen: 'chat' }));
      return true;
  }
}
