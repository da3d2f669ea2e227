/** Copying: what goes to the clipboard, and what can be said about it afterwards. */
import type { CopyOutcome } from '../../platform/clipboard.ts';
import type { State } from '../../store/state.ts';
import type { Desk } from '../desk.ts';
import { keyName } from '../keys/bindings.ts';

/** @param which what was copied, where that is not everything */
export function copyText(desk: Desk, text: string, which = ''): void {
  if (text === '') {
    desk.say('Nothing to copy in it.');
    return;
  }
  const count = `${text.length.toLocaleString('en')} ${text.length === 1 ? 'character' : 'characters'}`;
  const what = which === '' ? count : `${which}, ${count}`;
  desk.copy(text).then(
    (outcome) => desk.say(said(outcome, what, desk.view.getState().detail === null)),
    () => desk.say('Not copied: the clipboard could not be reached.'),
  );
}

export function copyLastAnswer(desk: Desk): void {
  const answer = lastAnswer(desk.store.getState());
  if (answer === null) desk.say('There is no answer to copy yet.');
  else copyText(desk, answer);
}

/** @param offers whether to say where the text can be selected by hand */
function said(outcome: CopyOutcome, what: string, offers: boolean): string {
  switch (outcome.kind) {
    case 'copied':
      return `Copied: ${what}.`;
    case 'sent':
      return `Sent to the terminal: ${what}. It does not say whether it took them.`;
    case 'too-long': {
      const limit = outcome.limit.toLocaleString('en');
      const where = offers ? `: ${keyName('browse.open')} in ${keyName('transcript.browse')} shows it` : '';
      return `Too long for the terminal's clipboard, which takes ${limit} bytes${where}.`;
    }
  }
}

/** The last answer of the talk: what it said last. */
function lastAnswer({ history, live }: State): string | null {
  const blocks = [...(live?.blocks ?? [])];
  return answerIn(blocks) ?? answerIn(history);
}

function answerIn(blocks: State['history']): string | null {
  const last = blocks.findLast((block) => block.kind === 'answer');
  return last?.kind === 'answer' ? last.text : null;
}
