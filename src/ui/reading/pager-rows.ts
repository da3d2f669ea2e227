/** Rows of a text that grows at its end: what was wrapped once is not wrapped again at the same width. */
import type { Row, Style } from '../../render/row.ts';
import { span } from '../../render/row.ts';
import { sanitise } from '../../render/sanitise.ts';
import { expandTabs } from '../../render/width.ts';
import { breakSpans } from '../../render/wrap.ts';

/** The rows of several texts, each known by its place. */
export class SectionRows {
  readonly #parts = new Map<number, GrowingRows>();

  of(place: number, text: string, style: Style, width: number): readonly Row[] {
    const part = this.#parts.get(place) ?? new GrowingRows();
    this.#parts.set(place, part);
    return part.of(text, style, width);
  }
}

class GrowingRows {
  #width = 0;
  #style: Style = 'text';
  #text = '';
  /** End of the last whole line that was wrapped, in UTF-16 units, and the rows up to there. */
  #settled = 0;
  #rows: Row[] = [];
  /** With the rows of the line that is not whole yet. */
  #all: readonly Row[] = this.#rows;

  /** Rows of foreign text, every space kept, each at most `width` cells. */
  of(text: string, style: Style, width: number): readonly Row[] {
    const isSameLook = width === this.#width && style === this.#style;
    if (isSameLook && text === this.#text) return this.#all;
    if (!isSameLook || !text.startsWith(this.#text)) {
      this.#rows = [];
      this.#settled = 0;
    }
    this.#width = width;
    this.#style = style;
    this.#text = text;
    const end = text.lastIndexOf('\n') + 1;
    if (end > this.#settled)
      for (const row of wrapped(text.slice(this.#settled, end - 1), style, width)) this.#rows.push(row);
    this.#settled = Math.max(this.#settled, end);
    const isWhole = this.#settled === text.length;
    this.#all = isWhole ? this.#rows : [...this.#rows, ...wrapped(text.slice(this.#settled), style, width)];
    return this.#all;
  }
}

function wrapped(text: string, style: Style, width: number): readonly Row[] {
  return breakSpans([span(expandTabs(sanitise(text)), style)], Math.max(2, width));
}
