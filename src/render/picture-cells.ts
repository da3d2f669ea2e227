/**
 * Cells in which a terminal of the kitty family draws a picture that it was given before ("Unicode placeholders" of
 * its graphics protocol). They are text to everybody else: they move, scroll and go with their row. Pure.
 */

/** A cell of a picture; which row of it says the mark behind the first one, the columns follow by themselves. */
const PLACEHOLDER = '\u{10eeee}';
/** Marks of the first rows, in the order of the protocol. */
const ROW_MARKS = '\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f';
/** The picture is known by the colour of its cells. */
const PICTURE_COLOUR = 214;

/** Rows that a picture may have. */
export const MAX_PICTURE_ROWS = ROW_MARKS.length;
/** ID of the one picture that is shown at a time. */
export const PICTURE_ID = PICTURE_COLOUR;

/** One row of the picture, `columns` cells wide, in its colour and out of it. */
export function pictureCells(row: number, columns: number): string {
  const mark = ROW_MARKS[row] ?? '';
  const cells = PLACEHOLDER + mark + PLACEHOLDER.repeat(Math.max(0, columns - 1));
  return `\u001b[38;5;${PICTURE_COLOUR}m${cells}\u001b[39m`;
}
