/** What the interface and its file worker say to each other. */
import type { Found } from './file-index.ts';

export interface FileQuestion {
  readonly query: string;
  /** Paths that were chosen lately, the newest first. */
  readonly recent: readonly string[];
  /** The list has just been opened: an old walk is made anew. */
  readonly fresh: boolean;
}

export type WalkState = 'walking' | 'complete' | 'cut' | 'failed';

export interface FileAnswer {
  readonly kind: 'answer';
  readonly query: string;
  readonly items: readonly Found[];
  /** How many match, and how many there are. */
  readonly total: number;
  readonly size: number;
  readonly state: WalkState;
}

/** The process that walks now; null for none. Whoever ends the program ends it too. */
export interface WalkerNote {
  readonly kind: 'walker';
  readonly pid: number | null;
}

export type WorkerWords = FileAnswer | WalkerNote;
