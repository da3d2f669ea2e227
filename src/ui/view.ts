/** What only this window knows: which screen, the draft, where the reader is. Nothing here comes from the service. */

import type { AttachedFile } from '../store/state.ts';
import { type ActivityView, INITIAL_ACTIVITY } from './activity/activity-view.ts';
import type { Completion } from './completion/completion.ts';
import type { HistorySearch } from './completion/history-search.ts';
import { type Folds, NO_FOLDS } from './composer/folds.ts';
import { historyOf, type PromptHistory } from './composer/history.ts';
import { DraftLayout } from './composer/layout.ts';
import { EMPTY_BUFFER, type TextBuffer } from './composer/text-buffer.ts';
import type { Size } from './frame.ts';
import { LADDER_START, type LadderState } from './keys/interrupt-ladder.ts';
import { INITIAL_LOGIN, type LoginView } from './login/login-view.ts';
import type { Picker } from './pickers/picker.ts';
import type { PictureBox } from './preview/picture.ts';
import type { Browse, Detail, Search } from './reading/reading.ts';
import type { Scroll } from './reading/scroll.ts';
import { NO_LOOK, type TalkLook } from './reading/talk-look.ts';
import { INITIAL_SETTINGS_VIEW, type SettingsView } from './settings/settings-view.ts';

export type { Scroll } from './reading/scroll.ts';

/** Until a monotonic time, ms. */
export interface Hint {
  readonly text: string;
  readonly until: number;
}

export interface View {
  readonly size: Size;
  readonly screen: 'chat' | 'sessions' | 'login' | 'settings';
  /** First visible row of the help; null when it is closed. */
  readonly help: number | null;
  readonly draft: TextBuffer;
  /** Files that go with the draft. */
  readonly attachments: readonly AttachedFile[];
  /** The picture of one of them, where the terminal draws pictures; cells. */
  readonly preview: PictureBox | null;
  /** Long pastes of the draft. */
  readonly folds: Folds;
  /** Remembers the rows of unchanged lines: a key in a long draft costs no more than in a short one. */
  readonly layout: DraftLayout;
  readonly prompts: PromptHistory;
  /** The list that was opened by the word at the caret; it may be out of date: see openCompletion(). */
  readonly completion: Completion | null;
  /** The word whose list was closed. */
  readonly dismissed: string | null;
  readonly historySearch: HistorySearch | null;
  readonly scroll: Scroll;
  /** What the reader has folded and seen. */
  readonly look: TalkLook;
  readonly browse: Browse | null;
  readonly search: Search | null;
  /** What was searched for last. */
  readonly sought: string;
  readonly detail: Detail | null;
  /** The list in which something is chosen for the session. */
  readonly picker: Picker | null;
  /** A word that goes away by itself; null for none. */
  readonly hint: Hint | null;
  /** The tree of what the agent does. */
  readonly activity: ActivityView;
  readonly login: LoginView;
  readonly settings: SettingsView;
  /** Entry of the sessions list. */
  readonly selected: number;
  /** Entry of the first screen, and its explanation if asked for. */
  readonly choice: number;
  readonly howTo: string;
  readonly ladder: LadderState;
  /** Unix time of the last tick, ms. */
  readonly now: number;
}

export function initialView(size: Size, now: number): View {
  return {
    size,
    screen: 'chat',
    help: null,
    draft: EMPTY_BUFFER,
    attachments: [],
    preview: null,
    folds: NO_FOLDS,
    layout: new DraftLayout(),
    prompts: historyOf([]),
    completion: null,
    dismissed: null,
    historySearch: null,
    scroll: { kind: 'tail' },
    look: NO_LOOK,
    browse: null,
    search: null,
    sought: '',
    detail: null,
    picker: null,
    hint: null,
    activity: INITIAL_ACTIVITY,
    login: INITIAL_LOGIN,
    settings: INITIAL_SETTINGS_VIEW,
    selected: 0,
    choice: 0,
    howTo: '',
    ladder: LADDER_START,
    now,
  };
}
