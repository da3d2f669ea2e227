/** One picture of the screen: exactly as many rows as the terminal has, and where the cursor stands. */
import { BLANK_ROW, type Row } from '../render/row.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Frame {
  readonly rows: readonly Row[];
  /** Cells from the left and rows from the top, from 0; null hides the cursor. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
}

/** The smallest size that a screen is drawn at. */
export const SMALLEST: Size = { columns: 20, rows: 8 };

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

/** Rows cut or filled up to a height. */
export function fitRows(rows: readonly Row[], height: number): Row[] {
  const cut = rows.slice(0, height);
  while (cut.length < height) cut.push(BLANK_ROW);
  return cut;
}
