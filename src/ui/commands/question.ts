/** What the keys of a waiting question do. */
import { draftText, emptied } from '../composer/draft.ts';
import type { Desk, Handler } from '../desk.ts';
import { keyName } from '../keys/bindings.ts';
import { openDetail } from './detail.ts';

export const runQuestion: Handler = (command, desk) => {
  const { conversation, store } = desk;
  const question = store.getState().live?.envelopes?.questions[0];
  if (question === undefined) {
    desk.say('The agent asks nothing now.');
    return;
  }
  switch (command) {
    case 'question.once':
      conversation.answer('allow-once');
      return;
    case 'question.always':
      if (question.rules.length === 0)
        desk.say(`No rule can say this: ${keyName('question.once')} allows it once.`);
      else conversation.answer('allow-always');
      return;
    case 'question.deny':
      conversation.answer('deny');
      return;
    case 'question.deny-why':
      denyWhy(desk);
      return;
    case 'question.detail':
      openDetail(desk, { kind: 'question', call: question.call });
      return;
  }
};

/** The reason is said into the turn right behind the no. */
function denyWhy(desk: Desk): void {
  const { conversation, draftKept, say, view } = desk;
  const reason = draftText(view.getState());
  if (reason.trim() === '') {
    say(`Write the reason first, then ${keyName('question.deny-why')}.`);
    return;
  }
  conversation.answer('deny');
  if (conversation.steer(reason) === 'too-long') return;
  view.update(emptied);
  draftKept();
}
