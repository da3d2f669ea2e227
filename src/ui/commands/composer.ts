/** What the writing keys do: edit the draft, or send it. */
import { dropImage } from '../../platform/clipboard-image.ts';

import type { AttachedFile } from '../../store/state.ts';
import { searchOpened } from '../completion/history-steps.ts';
import { readDraft } from '../completion/slash-commands.ts';
import { draftText, emptied, withText } from '../composer/draft.ts';
import { expanded } from '../composer/folds.ts';
import { historySent } from '../composer/history.ts';
import type { Desk, Handler } from '../desk.ts';
import type { View } from '../view.ts';
import { attachClipboard } from './attach.ts';
import { editDraft } from './draft-edits.ts';
import { openEditor } from './editor.ts';
import { runPickerField } from './picker.ts';
import { dropQueued, editQueued } from './queued.ts';
import { runField } from './search.ts';
import { runSlash } from './slash.ts';

export const runComposer: Handler = (command, desk) => {
  const { conversation, view } = desk;
  if (view.getState().picker !== null) {
    runPickerField(desk, command);
    return;
  }
  if (view.getState().search !== null) {
    runField(desk, command);
    return;
  }
  switch (command) {
    case 'composer.send':
      if (!runInWords(desk)) send(desk, (text, files) => conversation.send(text, files));
      return;
    case 'composer.steer':
      if (!runInWords(desk)) steer(desk);
      return;
    case 'composer.attach-image':
      void attachClipboard(desk);
      return;
    case 'composer.editor':
      void openEditor(desk);
      return;
    case 'composer.history-search':
      openSearch(desk);
      return;
    case 'composer.edit-queued':
      editQueued(desk);
      return;
    case 'composer.drop-queued':
      dropQueued(desk);
      return;
    default:
      if (editDraft(view.getState(), command) !== null)
        edited(desk, (seen) => editDraft(seen, command) ?? seen);
  }
};

/** An edit may take a file off: a copy of ours goes with it. */
function edited({ edit, view }: Desk, change: (view: View) => View): void {
  const before = view.getState().attachments;
  edit(change);
  const after = view.getState().attachments;
  for (const file of before) if (file.temporary && !after.includes(file)) dropImage(file.path);
}

function openSearch({ say, view }: Desk): void {
  if (view.getState().prompts.entries.length === 0) say('Nothing was sent yet: there is nothing to find.');
  else view.update(searchOpened);
}

/** The draft that somebody left for an older message, and who sends that one now. */
function draftLeft({ folds, prompts }: View): string {
  const { edits, entries, place } = prompts;
  return place === entries.length ? '' : expanded(edits.get(entries.length) ?? '', folds);
}

/** Whether the draft is a command in words, or looks like one: then it was run or explained, and is not sent. */
function runInWords(desk: Desk): boolean {
  const reading = readDraft(desk.view.getState().draft.text);
  switch (reading.kind) {
    case 'text':
      return false;
    case 'unknown':
      desk.say(`There is no command /${reading.name}. To send it as it is, put a space in front.`);
      return true;
    case 'too-much':
      desk.say(
        `/${reading.command.name} takes nothing behind it. To send it as it is, put a space in front.`,
      );
      return true;
    case 'command':
      desk.edit((seen) => withText(seen, ''));
      runSlash(reading.command, reading.argument, desk);
      return true;
  }
}

/** Files cannot be said into a turn: a message that has some waits for the next one. */
function steer(desk: Desk): void {
  const { conversation, say, store, view } = desk;
  const hasFiles = view.getState().attachments.length > 0;
  if (hasFiles && store.getState().live !== null) say('Files wait for the next turn: the message is queued.');
  send(desk, (text, files) => (hasFiles ? conversation.send(text, files) : conversation.steer(text)));
}

function send(desk: Desk, put: (text: string, files: readonly AttachedFile[]) => string): void {
  const { conversation, draftKept, edit, prompts, say, store, view } = desk;
  const { link } = store.getState();
  const { attachments } = view.getState();
  const text = draftText(view.getState());
  if (text.trim() === '') {
    if (link.kind === 'refused' || link.kind === 'lost') conversation.retry();
    else if (attachments.length > 0) say('Write something to go with the file.');
    return;
  }
  if (put(text, attachments) === 'too-long') return;
  const left = draftLeft(view.getState());
  view.update((seen) => ({
    ...emptied(seen),
    attachments: [],
    prompts: historySent(seen.prompts, text),
    scroll: { kind: 'tail' },
    look: { ...seen.look, unread: null },
  }));
  prompts.add(text);
  draftKept();
  if (left !== '') edit((seen) => withText(seen, left));
}
