/** What the keys of the list of offers do. */
import {
  acceptedOffer,
  chosenOffer,
  dismissedList,
  movedChoice,
  openCompletion,
} from '../completion/completion-steps.ts';
import { commandNamed, readDraft } from '../completion/slash-commands.ts';
import type { Desk, Handler } from '../desk.ts';

export const runCompletion: Handler = (command, desk) => {
  const { run, view } = desk;
  switch (command) {
    case 'completion.up':
      view.update((seen) => movedChoice(seen, -1));
      return;
    case 'completion.down':
      view.update((seen) => movedChoice(seen, 1));
      return;
    case 'completion.close':
      view.update(dismissedList);
      return;
    case 'completion.accept':
      accept(desk);
      return;
    case 'completion.run':
      if (isWrittenOut(desk)) run('composer.send');
      else accept(desk);
      return;
  }
};

function accept({ edit, files, view }: Desk): void {
  const open = openCompletion(view.getState());
  const offer = chosenOffer(view.getState());
  if (open?.kind === 'file' && offer !== null && !offer.value.endsWith('/')) files.took(offer.value);
  edit(acceptedOffer);
}

/** A whole command or path stands in the draft, and nobody has chosen another one: there is nothing to take. */
function isWrittenOut({ view }: Desk): boolean {
  const seen = view.getState();
  const open = openCompletion(seen);
  const chosen = chosenOffer(seen);
  if (open?.kind === 'file') return chosen?.value === open.trigger.query;
  const reading = readDraft(seen.draft.text);
  return (
    open?.kind === 'command' &&
    chosen !== null &&
    reading.kind === 'command' &&
    commandNamed(chosen.value) === reading.command
  );
}
