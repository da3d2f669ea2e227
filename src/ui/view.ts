/** What only this window knows: which screen, the draft, where the reader is. Nothing here comes from the service. */
import { historyOf, type PromptHistory } from './composer/history.ts';
import { DraftLayout } from './composer/layout.ts';
import { EMPTY_BUFFER, type TextBuffer } from './composer/text-buffer.ts';
import type { Size } from './frame.ts';
import { LADDER_START, type LadderState } from './keys/interrupt-ladder.ts';

/** Where the reader is: at the end and following it, or with a row of some block at the top. */
export type Scroll =
  | { readonly kind: 'tail' }
  | { readonly kind: 'at'; readonly block: string; readonly row: number };

export interface View {
  readonly size: Size;
  readonly screen: 'chat' | 'sessions';
  /** First visible row of the help; null when it is closed. */
  readonly help: number | null;
  readonly draft: TextBuffer;
  /** Remembers the rows of unchanged lines: a key in a long draft costs no more than in a short one. */
  readonly layout: DraftLayout;
  readonly prompts: PromptHistory;
  readonly scroll: Scroll;
  /** Entry of the sessions list. */
  readonly selected: number;
  /** Entry of the first screen, and its explanation if asked for. */
  readonly choice: number;
  readonly howTo: string;
  readonly ladder: LadderState;
  /** Unix time of the last tick, ms. */
  readonly now: number;
}

export function initialView(size: Size, now: number): View {
  return {
    size,
    screen: 'chat',
    help: null,
    draft: EMPTY_BUFFER,
    layout: new DraftLayout(),
    prompts: historyOf([]),
    scroll: { kind: 'tail' },
    selected: 0,
    choice: 0,
    howTo: '',
    ladder: LADDER_START,
    now,
  };
}
