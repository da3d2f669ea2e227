/** What the writing keys do to the draft: one pure step per command. */
import { searched } from '../completion/history-steps.ts';
import { withText } from '../composer/draft.ts';
import { type HistoryStep, historyNext, historyPrevious } from '../composer/history.ts';
import { moveRowDown, moveRowUp } from '../composer/layout.ts';
import {
  killWordBack,
  killWordForward,
  moveLeft,
  moveLineEnd,
  moveLineStart,
  moveRight,
  moveWordLeft,
  moveWordRight,
} from '../composer/motions.ts';
import {
  deleteBack,
  deleteForward,
  insert,
  killToLineEnd,
  killToLineStart,
  redo,
  replaceAll,
  type TextBuffer,
  undo,
  yank,
  yankOlder,
} from '../composer/text-buffer.ts';
import type { CommandId } from '../keys/bindings.ts';
import { draftWidth } from '../regions/composer-region.ts';
import type { View } from '../view.ts';

/** The writing keys that edit a text without looking at its rows. */
export const EDITS: Partial<Record<CommandId, (buffer: TextBuffer) => TextBuffer>> = {
  'composer.newline': (buffer) => insert(buffer, '\n'),
  'composer.left': moveLeft,
  'composer.right': moveRight,
  'composer.word-left': moveWordLeft,
  'composer.word-right': moveWordRight,
  'composer.line-start': moveLineStart,
  'composer.line-end': moveLineEnd,
  'composer.delete-back': deleteBack,
  'composer.delete-forward': deleteForward,
  'composer.kill-to-end': killToLineEnd,
  'composer.kill-to-start': killToLineStart,
  'composer.kill-word-back': killWordBack,
  'composer.kill-word-forward': killWordForward,
  'composer.yank': yank,
  'composer.yank-older': yankOlder,
  'composer.undo': undo,
  'composer.redo': redo,
};

/** The view after a writing command, or null when the command is not one. */
export function editDraft(view: View, command: CommandId): View | null {
  if (view.historySearch !== null) return editSearch(view, command);
  const edit = EDITS[command];
  if (command === 'composer.delete-back' && view.draft.caret === 0 && view.attachments.length > 0)
    return { ...view, attachments: view.attachments.slice(0, -1) };
  if (edit !== undefined) return { ...view, draft: edit(view.draft) };
  switch (command) {
    case 'composer.up': {
      const moved = moveRowUp(view.draft, draftWidth(view.size.columns), view.folds);
      return moved === null
        ? walked(view, historyPrevious(view.prompts, view.draft.text))
        : { ...view, draft: moved };
    }
    case 'composer.down': {
      const moved = moveRowDown(view.draft, draftWidth(view.size.columns), view.folds);
      return moved === null
        ? walked(view, historyNext(view.prompts, view.draft.text))
        : { ...view, draft: moved };
    }
    case 'composer.history-previous':
      return walked(view, historyPrevious(view.prompts, view.draft.text));
    case 'composer.history-next':
      return walked(view, historyNext(view.prompts, view.draft.text));
    default:
      return null;
  }
}

/** The keys that edit a line edit the field of an open search. */
function editSearch(view: View, command: CommandId): View | null {
  const { historySearch } = view;
  const edit = EDITS[command];
  if (historySearch === null || edit === undefined || command === 'composer.newline') return null;
  return searched(view, edit(historySearch.field));
}

function walked(view: View, step: HistoryStep | null): View {
  if (step === null) return view;
  const walkedTo = { ...view, prompts: step.history };
  // Edits were made here and may hold folded pastes; what was sent comes from outside.
  return step.history.edits.has(step.history.place)
    ? { ...walkedTo, draft: replaceAll(view.draft, step.text) }
    : withText(walkedTo, step.text);
}
