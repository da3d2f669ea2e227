/** Visible characters and their widths, as the draft shows them. */
import { sanitise } from '../../render/sanitise.ts';
import { cellWidth, graphemes, isAscii, truncate } from '../../render/width.ts';
import { type Folds, foldOf, NO_FOLDS } from './folds.ts';

/** A tab in the draft is shown as this many spaces, cells. */
export const TAB_CELLS = 4;

/** What the draft is drawn with. */
export interface DraftLook {
  readonly folds: Folds;
  /** Cells that a row holds: a folded paste is never drawn wider. */
  readonly limit: number;
}

export const PLAIN_LOOK: DraftLook = { folds: NO_FOLDS, limit: Number.POSITIVE_INFINITY };

/** Returns the visible characters of a text, in order. */
export function charactersOf(text: string): readonly string[] {
  return [...graphemes(text)];
}

/** Returns how many cells one visible character takes in the draft. */
export function characterCells(character: string, look: DraftLook): number {
  if (character === '\t') return TAB_CELLS;
  return cellWidth(shownCharacter(character, look));
}

/** Returns a visible character as it is drawn: a tab as spaces, a folded paste as its label, what would act on the terminal not at all. */
export function shownCharacter(character: string, { folds, limit }: DraftLook): string {
  if (character === '\t') return ' '.repeat(TAB_CELLS);
  if (isAscii(character)) return character;
  const found = foldOf(character, folds);
  return found === null ? sanitise(character) : truncate(sanitise(found.fold.label + found.rest), limit);
}
