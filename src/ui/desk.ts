/** What the handlers of commands work with: what is known, what is seen, and who acts. */
import type { Conversation } from '../store/conversation.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { CommandId } from './keys/bindings.ts';
import type { ReadMoment } from './keys/input-source.ts';
import type { Talk } from './talk.ts';
import type { View } from './view.ts';

export interface Desk {
  readonly store: Store<State>;
  readonly view: Store<View>;
  readonly conversation: Conversation;
  readonly talk: Talk;
  readonly leave: () => void;
  readonly suspend: () => void;
  readonly redraw: () => void;
  /** A change of the draft: it is kept soon, and a half-pressed way out is forgotten. */
  readonly edit: (change: (view: View) => View) => void;
  /** The draft has been kept or sent: nothing is left to keep. */
  readonly draftKept: () => void;
}

/** Acts on the commands of one context. */
export type Handler = (command: CommandId, desk: Desk, moment: ReadMoment) => void;
