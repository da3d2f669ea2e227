/** Rows to terminal strings in one palette; a row that was painted before costs nothing. */
import { type PaintOptions, paint } from '../render/paint.ts';
import type { Palette } from '../render/palette.ts';
import type { Row } from '../render/row.ts';

export class Painter {
  readonly #palette: Palette;
  readonly #options: PaintOptions;
  readonly #painted = new WeakMap<Row, string>();

  constructor(palette: Palette, options: PaintOptions) {
    this.#palette = palette;
    this.#options = options;
  }

  /** The row as text with its escape sequences. */
  paint(row: Row): string {
    const known = this.#painted.get(row);
    if (known !== undefined) return known;
    const text = paint(row, this.#palette, this.#options);
    this.#painted.set(row, text);
    return text;
  }
}
