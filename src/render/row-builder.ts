/**
 * Collects pieces of text into rows of a fixed width. Invariant: for a width of 2 or more no row is wider
 * than the width, whatever the prefixes; a prefix that leaves too little room is cut.
 */
import { BLANK_ROW, type Row, type Span, span } from './row.ts';
import { cellWidth, graphemes, isAscii, takeCells } from './width.ts';

/** What stands before the first row and before all others: a list mark and its hanging indent. */
export interface Prefixes {
  readonly first: readonly Span[];
  readonly rest: readonly Span[];
}

export const NO_PREFIXES: Prefixes = { first: [], rest: [] };

/** The widest visible character that is never split, in cells. */
const MIN_ROOM = 2;

/** Width of spans side by side, in cells. */
export function spansWidth(spans: readonly Span[]): number {
  let width = 0;
  for (const part of spans) width += cellWidth(part.text);
  return width;
}

/** A row of these spans; neighbours of the same style and target are joined, empty ones left out. */
export function rowOf(spans: readonly Span[]): Row {
  const joined = joinSpans(spans);
  return joined.length === 0 ? BLANK_ROW : { spans: joined, width: spansWidth(joined) };
}

function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const part of spans) {
    if (part.text === '') continue;
    const last = joined.at(-1);
    const isPlain = part.picture === undefined && last?.picture === undefined;
    if (last !== undefined && isPlain && last.style === part.style && last.href === part.href) {
      joined[joined.length - 1] = span(last.text + part.text, part.style, part.href);
    } else {
      joined.push(part);
    }
  }
  return joined;
}

/** The beginning of the spans that is at most `cells` wide. */
export function clipSpans(spans: readonly Span[], cells: number): Span[] {
  const clipped: Span[] = [];
  let room = Math.max(0, cells);
  for (const part of spans) {
    const width = cellWidth(part.text);
    if (width <= room) {
      clipped.push(part);
      room -= width;
      continue;
    }
    clipped.push(span(takeCells(part.text, room), part.style, part.href));
    break;
  }
  return clipped;
}

export class RowBuilder {
  readonly #width: number;
  readonly #rest: readonly Span[];
  readonly #rows: Row[] = [];
  #prefix: readonly Span[];
  #pieces: Span[] = [];
  #room: number;
  #column = 0;

  constructor(width: number, prefixes: Prefixes) {
    this.#width = Math.max(MIN_ROOM, width);
    this.#rest = clipSpans(prefixes.rest, this.#width - MIN_ROOM);
    this.#prefix = clipSpans(prefixes.first, this.#width - MIN_ROOM);
    this.#room = this.#width - spansWidth(this.#prefix);
  }

  /** Cells used in the open row, without its prefix. */
  get column(): number {
    return this.#column;
  }

  /** Cells left in the open row. */
  get left(): number {
    return this.#room - this.#column;
  }

  /** Cells that a fresh row offers. */
  get fresh(): number {
    return this.#width - spansWidth(this.#rest);
  }

  /** Adds text that is known to fit into what is left. */
  put(piece: Span, width: number): void {
    this.#pieces.push(piece);
    this.#column += width;
  }

  /** Adds text of any width, going on in the next row at a visible character's edge where it has to. */
  fill(piece: Span): void {
    const width = cellWidth(piece.text);
    if (width <= this.left) {
      this.put(piece, width);
    } else if (isAscii(piece.text)) {
      this.#fillAscii(piece);
    } else {
      this.#fillGraphemes(piece);
    }
  }

  #fillAscii(piece: Span): void {
    let start = 0;
    while (start < piece.text.length) {
      if (this.left < 1) this.next();
      const part = piece.text.slice(start, start + this.left);
      this.put(span(part, piece.style, piece.href), part.length);
      start += part.length;
    }
  }

  #fillGraphemes(piece: Span): void {
    for (const grapheme of graphemes(piece.text)) {
      const width = cellWidth(grapheme);
      if (width > Math.max(this.left, this.fresh)) {
        this.#fillCodePoints(grapheme, piece);
        continue;
      }
      if (width > this.left) this.next();
      this.put(span(grapheme, piece.style, piece.href), width);
    }
  }

  /** A cluster wider than a row can only be shown in parts. */
  #fillCodePoints(grapheme: string, piece: Span): void {
    for (const character of grapheme) {
      const width = cellWidth(character);
      if (width > this.left) this.next();
      this.put(span(character, piece.style, piece.href), width);
    }
  }

  /** Ends the open row. */
  next(): void {
    const isEmpty = this.#pieces.length === 0 && this.#prefix.every((part) => part.text.trim() === '');
    this.#rows.push(isEmpty ? BLANK_ROW : rowOf([...this.#prefix, ...this.#pieces]));
    this.#prefix = this.#rest;
    this.#pieces = [];
    this.#column = 0;
    this.#room = this.fresh;
  }

  /** Ends the last row and returns all. */
  finish(): Row[] {
    this.next();
    return this.#rows;
  }
}
