/**
 * Spans to rows of a width. `wrapSpans` breaks at spaces, `breakSpans` only at visible characters (code).
 * Invariants: no text but the spaces at a break is lost; no row is wider than the width (2 or more); a wide
 * character is never split; a word that spans several styles stays one word.
 */
import { type Row, type Span, type Style, span } from './row.ts';
import { NO_PREFIXES, type Prefixes, RowBuilder } from './row-builder.ts';
import { sanitise } from './sanitise.ts';
import { cellWidth, expandTabs, graphemes, isAscii, TAB_CELLS } from './width.ts';

interface Piece {
  readonly span: Span;
  readonly width: number;
}

type Unit =
  | { readonly kind: 'break' }
  | { readonly kind: 'space'; readonly span: Span }
  | { readonly kind: 'word'; readonly pieces: readonly Piece[]; readonly width: number };

/**
 * Rows of at most `width` cells. LF in a span is a hard break; spaces at a break are dropped, those at the
 * start of a line are kept; a row may also break beside a wide character. Without text: one row.
 */
export function wrapSpans(spans: readonly Span[], width: number, prefixes: Prefixes = NO_PREFIXES): Row[] {
  const builder = new RowBuilder(width, prefixes);
  let spaces: Piece[] = [];
  let spacesWidth = 0;
  const dropSpaces = () => {
    spaces = [];
    spacesWidth = 0;
  };
  const putSpaces = () => {
    for (const space of spaces) builder.put(space.span, space.width);
    dropSpaces();
  };
  for (const unit of units(spans)) {
    if (unit.kind === 'break') {
      dropSpaces();
      builder.next();
    } else if (unit.kind === 'space') {
      const space = spacePiece(unit.span, builder.column + spacesWidth);
      spaces.push(space);
      spacesWidth += space.width;
    } else {
      const fits = spacesWidth + unit.width <= builder.left;
      if (fits || (unit.width > builder.fresh && spacesWidth < builder.left)) {
        putSpaces();
      } else {
        dropSpaces();
        if (builder.column > 0) builder.next();
      }
      for (const piece of unit.pieces) builder.fill(piece.span);
    }
  }
  return builder.finish();
}

/** Rows of at most `width` cells, broken at visible characters only; every space is kept. LF is a hard break. */
export function breakSpans(spans: readonly Span[], width: number, prefixes: Prefixes = NO_PREFIXES): Row[] {
  const builder = new RowBuilder(width, prefixes);
  for (const part of spans) {
    const lines = part.text.split('\n');
    lines.forEach((line, index) => {
      if (index > 0) builder.next();
      if (line !== '') builder.fill(span(line, part.style, part.href));
    });
  }
  return builder.finish();
}

/** Rows of foreign text in one style: sanitised, tabs expanded, wrapped at spaces. */
export function textRows(text: string, style: Style, width: number, prefixes?: Prefixes): Row[] {
  return wrapSpans([span(expandTabs(sanitise(text)), style)], width, prefixes);
}

function spacePiece(space: Span, column: number): Piece {
  if (!space.text.includes('\t')) return { span: space, width: space.text.length };
  let end = column;
  for (const character of space.text) {
    end += character === '\t' ? TAB_CELLS - (end % TAB_CELLS) : 1;
  }
  return { span: span(' '.repeat(end - column), space.style, space.href), width: end - column };
}

/** Words, spaces and breaks. A word goes on across spans until a space, a break or a wide character. */
function* units(spans: readonly Span[]): Generator<Unit> {
  let pieces: Piece[] = [];
  let width = 0;
  const word = (): Unit => {
    const unit: Unit = { kind: 'word', pieces, width };
    pieces = [];
    width = 0;
    return unit;
  };
  for (const part of spans) {
    for (const run of part.text.match(/\n|[ \t]+|[^ \t\n]+/g) ?? []) {
      const first = run[0];
      if (first === '\n' || first === ' ' || first === '\t') {
        if (pieces.length > 0) yield word();
        yield first === '\n' ? { kind: 'break' } : { kind: 'space', span: span(run, part.style, part.href) };
        continue;
      }
      for (const piece of wordPieces(run, part)) {
        const isWide = piece.width > 1 && !isAscii(piece.span.text);
        if (isWide && pieces.length > 0) yield word();
        pieces.push(piece);
        width += piece.width;
        if (isWide) yield word();
      }
    }
  }
  if (pieces.length > 0) yield word();
}

/** The run in parts: each wide visible character alone, the others together. */
function* wordPieces(run: string, from: Span): Generator<Piece> {
  if (isAscii(run)) {
    yield { span: span(run, from.style, from.href), width: run.length };
    return;
  }
  for (const grapheme of graphemes(run)) {
    yield { span: span(grapheme, from.style, from.href), width: cellWidth(grapheme) };
  }
}
