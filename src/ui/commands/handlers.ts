/** Which handler acts on the commands of which context. */
import type { Handler } from '../desk.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { runActivity } from './activity.ts';
import { runBrowse } from './browse.ts';
import { runChat } from './chat.ts';
import { runChoice } from './choice.ts';
import { runCompletion } from './completion.ts';
import { runComposer } from './composer.ts';
import { runDetail } from './detail.ts';
import { runHelp } from './help.ts';
import { runHistory } from './history-search.ts';
import { runList } from './list.ts';
import { runLogin, runLoginField } from './login.ts';
import { runPicker } from './picker.ts';
import { runQuestion } from './question.ts';
import { runSearch } from './search.ts';
import { runSettings } from './settings.ts';
import { runTranscript } from './transcript.ts';

export const HANDLERS: Readonly<Record<KeyContext, Handler>> = {
  chat: runChat,
  question: runQuestion,
  composer: runComposer,
  completion: runCompletion,
  history: runHistory,
  transcript: runTranscript,
  browse: runBrowse,
  search: runSearch,
  detail: runDetail,
  list: runList,
  login: runLogin,
  'login-field': runLoginField,
  choice: runChoice,
  activity: runActivity,
  picker: runPicker,
  settings: runSettings,
  help: runHelp,
};
