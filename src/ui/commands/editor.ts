/** Takes the draft into an editor and back. */
import { editorOf, editText } from '../../platform/editor.ts';
import { draftText, withText, withTextBefore } from '../composer/draft.ts';
import type { Desk } from '../desk.ts';

const KEPT = 'The draft is as it was.';

export async function openEditor({ edit, lend, say, view }: Desk): Promise<void> {
  const { env } = process;
  const command = await editorOf(env);
  if (command === null) {
    say('There is no editor: set VISUAL or EDITOR.');
    return;
  }
  const before = draftText(view.getState());
  const edited = await lend((signal) => editText(before, command, { env, signal }));
  if (edited === null || edited.kind === 'unchanged') return;
  if (edited.kind === 'failed') say(`${edited.reason} ${KEPT}`);
  // What came back meanwhile, such as a message that was refused, is not lost.
  else
    edit((seen) =>
      draftText(seen) === before ? withText(seen, edited.text) : withTextBefore(seen, edited.text),
    );
}
