/** The newest message that waits for the end of the turn: taken back for editing, or dropped. */
import { sanitiseLine } from '../../render/sanitise.ts';
import { truncate } from '../../render/width.ts';
import { historySent } from '../composer/history.ts';
import type { Desk } from '../desk.ts';

const SHOWN_CELLS = 30;

export function editQueued(desk: Desk): void {
  if (desk.conversation.takeBack() === null) sayWhyNot(desk);
}

export function dropQueued(desk: Desk): void {
  const text = desk.conversation.drop();
  if (text === null) {
    sayWhyNot(desk);
    return;
  }
  desk.view.update((seen) => ({ ...seen, prompts: historySent(seen.prompts, text) }));
  desk.say(`Dropped “${truncate(sanitiseLine(text), SHOWN_CELLS)}”. ↑ brings it back: it is in the history.`);
}

function sayWhyNot({ say, store }: Desk): void {
  const { live, outbox } = store.getState();
  if (outbox.length > 0) say('It is on its way: it cannot be taken back any more.');
  else if (live?.envelopes != null)
    say('Nothing is queued. What was said into the turn cannot be taken back.');
  else say('Nothing is queued.');
}
