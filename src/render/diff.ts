/** A unified diff to rows: line numbers of both sides in a gutter, a mark, and the line in its style. */
import { type Row, type Span, type Style, span } from './row.ts';
import { spansWidth } from './row-builder.ts';
import { sanitise } from './sanitise.ts';
import { expandTabs } from './width.ts';
import { breakSpans, wrapSpans } from './wrap.ts';

/** Narrower than this beside the gutter, and the gutter is left out. */
const MIN_CONTENT = 12;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

type Line =
  | { readonly kind: 'header'; readonly text: string }
  | { readonly kind: 'hunk'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'same' | 'added' | 'removed';
      readonly text: string;
      readonly before: number | null;
      readonly after: number | null;
    };

/**
 * Rows of a unified diff, at most `width` cells wide (2 or more), for a place that names the file already: of one file
 * only its lines, with a mark between two places; several files keep their names. Text that is no diff is shown as it is.
 */
export function diffRows(unifiedDiff: string, width: number): Row[] {
  const lines = parse(sanitise(unifiedDiff).replace(/\n$/, ''));
  const files = lines.filter((line) => line.kind === 'header' && line.text.startsWith('+++ ')).length;
  const first = lines.findIndex((line) => line.kind === 'hunk');
  if (files > 1 || first === -1) return rowsOf(lines, width);
  const places = lines.slice(first + 1).filter((line) => line.kind !== 'header');
  return rowsOf(
    places.map((line) => (line.kind === 'hunk' ? { kind: 'note', text: '⋯' } : line)),
    width,
  );
}

export interface DiffSize {
  readonly added: number;
  readonly removed: number;
  /** Changed lines and those around them. */
  readonly lines: number;
}

/** How much a unified diff changes, in lines. */
export function diffSize(unifiedDiff: string): DiffSize {
  const kinds = parse(unifiedDiff.replace(/\n$/, '')).map((line) => line.kind);
  const added = kinds.filter((kind) => kind === 'added').length;
  const removed = kinds.filter((kind) => kind === 'removed').length;
  return { added, removed, lines: added + removed + kinds.filter((kind) => kind === 'same').length };
}

function rowsOf(lines: readonly Line[], width: number): Row[] {
  const digits = String(lines.reduce((most, line) => Math.max(most, highest(line)), 0)).length;
  return lines.flatMap((line) => lineRows(line, digits, width));
}

function highest(line: Line): number {
  return 'before' in line ? Math.max(line.before ?? 0, line.after ?? 0) : 0;
}

/** Counts lines as the hunk header announced them, so that a removed `-- x` is not taken for a file header. */
function parse(diff: string): Line[] {
  if (diff === '') return [];
  let before = 0;
  let after = 0;
  let leftBefore = 0;
  let leftAfter = 0;
  return diff.split('\n').map((text): Line => {
    const mark = text[0] ?? ' ';
    if (mark === '\\') return { kind: 'note', text };
    if (leftBefore + leftAfter > 0) {
      if (mark === '+' && leftAfter > 0) {
        leftAfter -= 1;
        after += 1;
        return { kind: 'added', text: text.slice(1), before: null, after: after - 1 };
      }
      if (mark === '-' && leftBefore > 0) {
        leftBefore -= 1;
        before += 1;
        return { kind: 'removed', text: text.slice(1), before: before - 1, after: null };
      }
      if (mark === ' ') {
        leftBefore = Math.max(0, leftBefore - 1);
        leftAfter = Math.max(0, leftAfter - 1);
        before += 1;
        after += 1;
        return { kind: 'same', text: text.slice(1), before: before - 1, after: after - 1 };
      }
    }
    const hunk = HUNK.exec(text);
    if (hunk === null) return { kind: 'header', text };
    before = Number(hunk[1]);
    after = Number(hunk[3]);
    leftBefore = Number(hunk[2] ?? 1);
    leftAfter = Number(hunk[4] ?? 1);
    return { kind: 'hunk', text };
  });
}

const LOOKS: Readonly<Record<'same' | 'added' | 'removed', { mark: string; style: Style }>> = {
  same: { mark: '  ', style: 'text' },
  added: { mark: '+ ', style: 'added' },
  removed: { mark: '- ', style: 'removed' },
};

function lineRows(line: Line, digits: number, width: number): Row[] {
  switch (line.kind) {
    case 'header':
    case 'note':
      return wrapSpans([span(expandTabs(line.text), 'dim')], width);
    case 'hunk':
      return wrapSpans([span(line.text, 'accent')], width);
    case 'same':
    case 'added':
    case 'removed': {
      const { mark, style } = LOOKS[line.kind];
      const gutter = span(`${numbered(line.before, digits)} ${numbered(line.after, digits)} `, 'dim');
      const content = [span(expandTabs(line.text), style)];
      const first: Span[] = [gutter, span(mark, style)];
      const gutterWidth = spansWidth(first);
      if (width - gutterWidth < MIN_CONTENT) {
        return breakSpans(content, width, { first: [span(mark, style)], rest: [] });
      }
      const rest = [span(' '.repeat(gutterWidth), 'dim')];
      return breakSpans(content, width, { first, rest });
    }
  }
}

function numbered(line: number | null, digits: number): string {
  return (line === null ? '' : String(line)).padStart(digits);
}
