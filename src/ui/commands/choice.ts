/** What the keys of the question who should answer do. */
import type { Desk, Handler } from '../desk.ts';
import { keyName } from '../keys/bindings.ts';
import { signInTo } from './login.ts';
import { movedEntry } from './moved-entry.ts';

export const runChoice: Handler = (command, desk) => {
  const { conversation, store, view } = desk;
  const choices = store.getState().setup ?? [];
  view.update((seen) => ({
    ...seen,
    howTo: '',
    choice: movedEntry(command, { at: seen.choice, count: choices.length, page: choices.length }),
  }));
  if (command === 'choice.cancel') conversation.keepAnswering();
  const choice = choices[view.getState().choice];
  if (command !== 'choice.accept' || choice === undefined) return;
  if (choice.signIn === true) signInTo(desk, choice.providerId);
  else if (choice.howTo === '') conversation.choose(choice);
  else view.update((seen) => ({ ...seen, howTo: `${keyPlace(desk)} Or ${choice.howTo}` }));
};

/** Where a key is saved, for whoever needs one. */
function keyPlace({ saveKey }: Desk): string {
  return saveKey === null
    ? 'This service keeps its keys itself: save one with its own program.'
    : `${keyName('chat.login')}, then ${keyName('login.key')}, saves a key.`;
}
