/** Rows with some of their characters in another style. Invariant: text and width stay what they were. */
import type { Row, Span, Style } from './row.ts';
import { rowText, span } from './row.ts';
import { rowOf } from './row-builder.ts';
import { graphemes, isAscii } from './width.ts';

/** Part of a row's text, in UTF-16 units. */
export interface MarkedRange {
  readonly start: number;
  readonly end: number;
  readonly style: Style;
}

/** The row with ranges of its text marked; they come in order and do not overlap. Visible characters stay whole. */
export function markRanges(row: Row, ranges: readonly MarkedRange[]): Row {
  if (ranges.length === 0) return row;
  const text = rowText(row);
  const whole = isAscii(text) ? ranges : widened(ranges, text);
  const spans: Span[] = [];
  let from = 0;
  for (const part of row.spans) {
    spans.push(...cut(part, from, whole));
    from += part.text.length;
  }
  return rowOf(spans);
}

function cut(part: Span, from: number, ranges: readonly MarkedRange[]): Span[] {
  const pieces: Span[] = [];
  let at = 0;
  for (const { end, start, style } of ranges) {
    const [first, last] = [Math.max(at, start - from), Math.min(part.text.length, end - from)];
    if (first >= last) continue;
    pieces.push(span(part.text.slice(at, first), part.style, part.href));
    pieces.push(span(part.text.slice(first, last), style, part.href));
    at = last;
  }
  return [...pieces, span(part.text.slice(at), part.style, part.href)];
}

/** Ranges that begin and end between visible characters. */
function widened(ranges: readonly MarkedRange[], text: string): readonly MarkedRange[] {
  const edges: number[] = [0];
  for (const grapheme of graphemes(text)) edges.push((edges.at(-1) ?? 0) + grapheme.length);
  return ranges.map(({ end, start, style }) => ({
    start: edges.findLast((edge) => edge <= start) ?? 0,
    end: edges.find((edge) => edge >= end) ?? text.length,
    style,
  }));
}
