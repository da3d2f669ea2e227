/** What the reader has done to the talk itself: folds, and where what is new begins. */
import { type Folds, NO_FOLDS } from './folds.ts';

export interface TalkLook {
  readonly folds: Folds;
  /** The block in front of which the line of unread things stands; null for none. */
  readonly unread: string | null;
}

export const NO_LOOK: TalkLook = { folds: NO_FOLDS, unread: null };

/** Blocks that look otherwise than before. */
export function changedBlocks(before: TalkLook, after: TalkLook): readonly string[] {
  const ids = new Set<string>();
  if (before.unread !== after.unread)
    for (const id of [before.unread, after.unread]) if (id !== null) ids.add(id);
  const [was, is] = [before.folds.chosen, after.folds.chosen];
  if (was !== is) for (const id of [...was.keys(), ...is.keys()]) if (was.get(id) !== is.get(id)) ids.add(id);
  return [...ids];
}
