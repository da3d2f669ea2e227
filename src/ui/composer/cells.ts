/** Visible characters and their widths, as the draft shows them. */
import { cellWidth, graphemes } from '../../render/width.ts';

/** A tab in the draft is shown as this many spaces, cells. */
export const TAB_CELLS = 4;

/** Returns the visible characters of a text, in order. */
export function charactersOf(text: string): readonly string[] {
  return [...graphemes(text)];
}

/** Returns how many cells one visible character takes in the draft. */
export function characterCells(character: string): number {
  return character === '\t' ? TAB_CELLS : cellWidth(character);
}

/** Returns a visible character as it is drawn: a tab as spaces. */
export function shownCharacter(character: string): string {
  return character === '\t' ? ' '.repeat(TAB_CELLS) : character;
}
