/**
 * Rows to terminal text. Invariant: nothing but text, SGR and (when asked for) OSC 8 leaves `paint`, whatever
 * the spans hold; every row ends in the default style with no link open.
 */
import { safeHref } from './href.ts';
import type { Palette } from './palette.ts';
import { pictureCells } from './picture-cells.ts';
import type { Row } from './row.ts';
import { sanitiseLine } from './sanitise.ts';

export interface PaintOptions {
  /** Whether the terminal knows OSC 8 links. */
  readonly links: 'osc8' | 'none';
}

const RESET = '\u001b[0m';
const LINK_END = '\u001b]8;;\u001b\\';
const SGR_PARAMETERS = /^\d+(?:;\d+)*$/;

/** The row as text for a terminal that speaks SGR. */
export function paint(row: Row, palette: Palette, options: PaintOptions): string {
  let painted = '';
  let open: readonly string[] = [];
  let link = '';
  for (const part of row.spans) {
    if (part.picture !== undefined) {
      painted += transition(open, []) + pictureCells(part.picture, part.text.length);
      open = [];
      continue;
    }
    const text = sanitiseLine(part.text);
    if (text === '') continue;
    const target = options.links === 'osc8' ? linkTarget(part.href) : '';
    if (target !== link) {
      painted += target === '' ? LINK_END : linkStart(target);
      link = target;
    }
    const wanted = palette[part.style];
    painted += transition(open, wanted) + text;
    open = wanted;
  }
  if (link !== '') painted += LINK_END;
  return open.length === 0 ? painted : painted + RESET;
}

/** The address as printable ASCII, or nothing when it is not one that may be opened. */
function linkTarget(href: string | undefined): string {
  const safe = href === undefined ? '' : (safeHref(href) ?? '');
  return safe.replace(/[^\u0021-\u007e]/gu, (character) => encodeURIComponent(character));
}

function linkStart(target: string): string {
  return `\u001b]8;;${target}\u001b\\`;
}

/** The shortest way from one set of attributes to another. */
function transition(from: readonly string[], to: readonly string[]): string {
  if (from === to) return '';
  const gone = from.filter((code) => !to.includes(code));
  const added = to.filter((code) => !from.includes(code));
  if (gone.length === 0) return sgr(added);
  if (to.length === 0) return RESET;
  const closers = new Set<string>();
  for (const code of gone) {
    const closer = closerOf(code);
    const isReplaced = isColour(closer) && added.some((next) => closerOf(next) === closer);
    if (!isReplaced) closers.add(closer);
  }
  const reopened = to.filter((code) => from.includes(code) && closers.has(closerOf(code)));
  return sgr([...closers, ...reopened, ...added]);
}

function sgr(codes: readonly string[]): string {
  const valid = codes.filter((code) => SGR_PARAMETERS.test(code));
  return valid.length === 0 ? '' : `\u001b[${valid.join(';')}m`;
}

function isColour(closer: string): boolean {
  return closer === '39' || closer === '49';
}

/** The parameter that ends what this one began. */
function closerOf(code: string): string {
  const first = Number.parseInt(code, 10);
  if (first === 1 || first === 2) return '22';
  if (first >= 3 && first <= 9) return `2${first}`;
  const isBackground = (first >= 40 && first <= 48) || (first >= 100 && first <= 107);
  return isBackground ? '49' : '39';
}
