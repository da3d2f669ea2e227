/** What the writing keys do: edit the draft, or send it. */
import { historySent } from '../composer/history.ts';
import { EMPTY_BUFFER } from '../composer/text-buffer.ts';
import type { Desk, Handler } from '../desk.ts';
import { editDraft } from './draft-edits.ts';

export const runComposer: Handler = (command, desk) => {
  const { conversation } = desk;
  switch (command) {
    case 'composer.send':
      send(desk, (text) => conversation.send(text));
      return;
    case 'composer.steer':
      send(desk, (text) => conversation.steer(text));
      return;
    default:
      desk.edit((view) => editDraft(view, command) ?? view);
  }
};

function send({ conversation, draftKept, store, view }: Desk, say: (text: string) => string): void {
  const { link } = store.getState();
  const { text } = view.getState().draft;
  if (text.trim() === '') {
    if (link.kind === 'refused' || link.kind === 'lost') conversation.retry();
    return;
  }
  if (say(text) === 'too-long') return;
  view.update((seen) => ({
    ...seen,
    draft: { ...EMPTY_BUFFER, killRing: seen.draft.killRing },
    prompts: historySent(seen.prompts, text),
    scroll: { kind: 'tail' },
  }));
  draftKept();
}
