/** What the keys of a waiting question do. */
import type { Handler } from '../desk.ts';

export const runQuestion: Handler = (command, { conversation, store }) => {
  const question = store.getState().live?.envelopes?.questions[0];
  switch (command) {
    case 'question.once':
      conversation.answer('allow-once');
      return;
    case 'question.always':
      // Nothing is offered where no rule can say it.
      if (question?.rules.length !== 0) conversation.answer('allow-always');
      return;
    case 'question.deny':
      conversation.answer('deny');
      return;
  }
};
