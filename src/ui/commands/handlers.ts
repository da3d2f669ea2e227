/** Which handler acts on the commands of which context. */
import type { Handler } from '../desk.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { runChat } from './chat.ts';
import { runChoice } from './choice.ts';
import { runComposer } from './composer.ts';
import { runHelp } from './help.ts';
import { runList } from './list.ts';
import { runQuestion } from './question.ts';
import { runTranscript } from './transcript.ts';

export const HANDLERS: Readonly<Record<KeyContext, Handler>> = {
  chat: runChat,
  question: runQuestion,
  composer: runComposer,
  transcript: runTranscript,
  list: runList,
  choice: runChoice,
  help: runHelp,
};
