/** What the handlers of commands work with: what is known, what is seen, and who acts. */
import type { CopyOutcome } from '../platform/clipboard.ts';
import type { PromptLog } from '../platform/prompt-log.ts';
import type { Conversation } from '../store/conversation.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { FileFinder } from './completion/file-finder.ts';
import type { CommandId } from './keys/bindings.ts';
import type { ReadMoment } from './keys/input-source.ts';
import type { Preferences } from './settings/preferences.ts';
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
  /** Gives the terminal to another program while the work lasts; null when that cannot be now. */
  readonly lend: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T | null>;
  /** Reads a key for a provider in the terminal and saves it; null where the service keeps its keys itself. */
  readonly saveKey: ((providerId: string, signal: AbortSignal) => Promise<void>) | null;
  /** How this program looks and behaves. */
  readonly preferences: Preferences;
  /** Says something for a moment. */
  readonly say: (text: string) => void;
  /** Puts a text on the clipboard; what it resolves to is true, not hoped. */
  readonly copy: (text: string) => Promise<CopyOutcome>;
  /** The folder, as an absolute path. */
  readonly workspace: string;
  /** Where sent messages are kept for the next start. */
  readonly prompts: Pick<PromptLog, 'load' | 'add'>;
  /** Who knows the files of the folder. */
  readonly files: Pick<FileFinder, 'took'>;
  /** Runs another command, whatever its key. */
  readonly run: (command: CommandId) => void;
  /** A change of the draft: it is kept soon, and a half-pressed way out is forgotten. */
  readonly edit: (change: (view: View) => View) => void;
  /** The draft has been kept or sent: nothing is left to keep. */
  readonly draftKept: () => void;
}

/** Acts on the commands of one context. */
export type Handler = (command: CommandId, desk: Desk, moment: ReadMoment) => void;
