/**
 * How much of a block the reader sees. Kept in the view, by block: a fold survives everything but the window.
 * Invariant: what was not chosen follows the defaults, so a talk of any length keeps no entry for a block nobody touched.
 */
import { diffSize } from '../../render/diff.ts';
import type { Block } from '../../transcript/blocks.ts';

/** `folded`: one line, or the start of a long text; `open`: its details, bounded; `all`: every row. */
export type Fold = 'folded' | 'open' | 'all';

export interface Folds {
  /** What holds for thinking that nobody chose for. */
  readonly thinking: 'folded' | 'open';
  readonly chosen: ReadonlyMap<string, Fold>;
}

export const NO_FOLDS: Folds = { thinking: 'folded', chosen: new Map() };

/** An edit of at most so many lines shows itself. */
const SMALL_DIFF_LINES = 12;

export function foldOf(block: Block, folds: Folds): Fold {
  const chosen = folds.chosen.get(block.id);
  if (chosen !== undefined) return chosen;
  if (block.kind === 'thinking') return folds.thinking;
  return block.kind === 'tool' && isSmallDiff(block.diff) ? 'open' : 'folded';
}

/** What a subagent does is folded away with the card of its task. */
export function isHidden(block: Block, { chosen }: Folds): boolean {
  const cards = block.kind === 'tool' ? block.under : undefined;
  return cards?.some((card) => (chosen.get(card) ?? 'folded') === 'folded') === true;
}

export function withFold(folds: Folds, id: string, fold: Fold): Folds {
  return { ...folds, chosen: new Map(folds.chosen).set(id, fold) };
}

function isSmallDiff(diff: string): boolean {
  return diff !== '' && diffSize(diff).lines <= SMALL_DIFF_LINES;
}
