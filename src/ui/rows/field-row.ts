/** A text of one line that is being written, moved sideways so that its caret is always in view. */
import { cellWidth, graphemes, takeCells } from '../../render/width.ts';
import type { TextBuffer } from '../composer/text-buffer.ts';

export interface FieldText {
  readonly text: string;
  /** Of the caret, in cells from the start of the text shown. */
  readonly column: number;
}

/** The part of the text that fits into `cells`, a cell for the caret included. */
export function fieldText({ caret, text }: TextBuffer, cells: number): FieldText {
  const shown = (part: string): string => part.replaceAll(/[\n\t]/g, ' ');
  let before = shown(text.slice(0, caret));
  const room = Math.max(1, cells - 1);
  for (const grapheme of graphemes(before)) {
    if (cellWidth(before) <= room) break;
    before = before.slice(grapheme.length);
  }
  const column = cellWidth(before);
  return { text: before + takeCells(shown(text.slice(caret)), Math.max(0, cells - column)), column };
}
