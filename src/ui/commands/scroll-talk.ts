/** What the reading keys do to the place of the reader. */
import type { State } from '../../store/state.ts';
import type { CommandId } from '../keys/bindings.ts';
import { talkArea } from '../screens/chat.ts';
import type { Talk } from '../talk.ts';
import type { Scroll, View } from '../view.ts';

/** The new place, or null when the command is not a reading one. */
export function scrollTalk(command: CommandId, state: State, view: View, talk: Talk): Scroll | null {
  const area = talkArea({ state, view });
  const by = (rows: number): Scroll => talk.scrolled(state, view.scroll, area, rows);
  const page = Math.max(1, area.height - 2);
  switch (command) {
    case 'transcript.row-up':
      return by(-1);
    case 'transcript.row-down':
      return by(1);
    case 'transcript.page-up':
      return by(-page);
    case 'transcript.page-down':
      return by(page);
    case 'transcript.turn-up':
      return talk.turn(state, view.scroll, area, 'before');
    case 'transcript.turn-down':
      return talk.turn(state, view.scroll, area, 'after');
    case 'transcript.bottom':
      return { kind: 'tail' };
    default:
      return null;
  }
}
