/**
 * Places of the talk where something is missing or changed hands. They are facts about this window's watch over the
 * session: known as long as it is open here, in no file.
 * Invariant: a mark stands at a block that is shown, or at none.
 */
import type { Block } from './blocks.ts';

/**
 * `dropped`: the service left out reports of what happened; `relink`: the link was lost and found; `control`: another
 * window took over, or gave back; `missing`: history could not be read.
 */
export type GapKind = 'dropped' | 'relink' | 'control' | 'missing';

export interface GapMark {
  readonly kind: GapKind;
  /** ID of the block that it stands at. */
  readonly at: string;
  /** Reports that were left out, times that the link was lost; 1 for the others. */
  readonly count: number;
  /** Unix time, ms; null where nobody says. */
  readonly time: number | null;
  /** `control`: who has it from here on. */
  readonly holder?: 'other' | 'mine';
}

/** The marks with one more; what happened again at the same place is counted there. */
export function withMark(marks: readonly GapMark[], mark: GapMark): readonly GapMark[] {
  const index = marks.findLastIndex(({ at, kind }) => at === mark.at && kind === mark.kind);
  const known = marks[index];
  if (known === undefined) return [...marks, mark];
  const count = mark.kind === 'dropped' || mark.kind === 'relink' ? known.count + mark.count : 1;
  return marks.with(index, { ...mark, count });
}

/** The marks after the blocks were read anew: one whose block is gone stands at the block that took its place. */
export function replaced(
  marks: readonly GapMark[],
  before: readonly Block[],
  after: readonly Block[],
): readonly GapMark[] {
  if (marks.length === 0) return marks;
  const ids = new Set(after.map(({ id }) => id));
  return marks.flatMap((mark) => {
    if (ids.has(mark.at)) return [mark];
    const index = before.findIndex(({ id }) => id === mark.at);
    const block = after[Math.min(index, after.length - 1)];
    return index < 0 ? [mark] : block === undefined ? [] : [{ ...mark, at: block.id }];
  });
}
