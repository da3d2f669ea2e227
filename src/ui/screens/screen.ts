/** Which screen is shown, as a frame. */
import { whyNoBrowser } from '../../platform/browser.ts';
import type { State } from '../../store/state.ts';
import { overlays } from '../activity/activity-view.ts';
import { type Frame, isTooSmall } from '../frame.ts';
import { shortPath } from '../rows/format.ts';
import type { Preferences } from '../settings/preferences.ts';
import type { Talk } from '../talk.ts';
import type { View } from '../view.ts';
import { activityFrame } from './activity.ts';
import { chatFrame } from './chat.ts';
import { detailFrame } from './detail.ts';
import { loginFrame } from './login.ts';
import { helpAbout, helpFrame, sessionsFrame, setupFrame, tooSmallFrame } from './other.ts';
import { settingsFrame } from './settings.ts';

export interface ScreenInput {
  readonly state: State;
  readonly view: View;
  readonly talk: Talk;
  /** As it is shown. */
  readonly folder: string;
  readonly preferences: Preferences;
  readonly isColourless: boolean;
}

export function screenFrame({ folder, isColourless, preferences, state, talk, view }: ScreenInput): Frame {
  const monotonic = performance.now();
  if (isTooSmall(view.size)) return tooSmallFrame(view.size);
  if (view.help !== null) return helpFrame(view.help, helpAbout(state, view), view.size);
  if (view.screen === 'login') {
    const noBrowser = whyNoBrowser(process.env, process.platform);
    return loginFrame({ state, view, noBrowser, monotonic });
  }
  if (view.screen === 'settings') {
    const file = shortPath(preferences.file, process.env.HOME ?? '');
    return settingsFrame({
      state,
      view,
      preferences: preferences.state.getState(),
      file,
      isColourless,
      monotonic,
    });
  }
  if (state.setup !== null) return setupFrame(state.setup, state, view, folder);
  if (view.screen === 'sessions') return sessionsFrame(state, view, folder);
  if (view.detail !== null) {
    const hint = view.hint !== null && view.hint.until > monotonic ? view.hint.text : '';
    return detailFrame({ state, talk, detail: view.detail }, view.size, hint);
  }
  if (overlays(view)) return activityFrame(state, view);
  return chatFrame({ state, view, talk, folder, monotonic });
}
