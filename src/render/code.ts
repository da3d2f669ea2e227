/**
 * Code to rows: coloured when the grammar is loaded, tabs expanded, long lines broken between characters.
 *
 * Colouring is the dearest step of a frame, and a grammar can't go on where it stopped. So code that is still
 * being written, and very long code, is coloured in pieces of some lines each: only the last piece changes. A
 * string or comment over the edge of a piece may look plain until the code is closed and coloured as a whole.
 */
import { highlightRevision, highlightRuns } from './highlight.ts';
import { type Row, span } from './row.ts';
import { sanitise } from './sanitise.ts';
import { expandTabs } from './width.ts';
import { breakSpans } from './wrap.ts';

const PIECE_LINES = 40;
/** Longer code (characters) is coloured in pieces also when it is complete. */
const MAX_WHOLE = 60_000;

/** Rows of at most `width` cells (2 or more), one or more for each line; none for empty code. */
export function codeRows(code: string, language: string | null, width: number): readonly Row[] {
  if (code === '') return [];
  return code.length > MAX_WHOLE
    ? openCodeRows(code, language, width)
    : drawn(expandTabs(sanitise(code)), language, width);
}

/** `codeRows` for code that is still being written: a further line costs the last piece only. */
export function openCodeRows(code: string, language: string | null, width: number): readonly Row[] {
  if (code === '') return [];
  const lines = expandTabs(sanitise(code)).split('\n');
  const rows: Row[] = [];
  for (let start = 0; start < lines.length; start += PIECE_LINES) {
    const piece = lines.slice(start, start + PIECE_LINES).join('\n');
    for (const row of drawn(piece, language, width)) rows.push(row);
  }
  return rows;
}

function drawn(code: string, language: string | null, width: number): readonly Row[] {
  const key = `${highlightRevision()} ${language ?? ''} ${width} ${code}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const spans = highlightRuns(code, language).map((run) => span(run.text, run.style));
  const rows = breakSpans(spans, width);
  cache.set(key, rows);
  return rows;
}

/** Rows by code, the longest unused dropped first. Bounded by the length of all keys, in characters. */
class DrawnCode {
  readonly #limit = 2_000_000;
  readonly #rows = new Map<string, readonly Row[]>();
  #size = 0;

  get(key: string): readonly Row[] | undefined {
    const rows = this.#rows.get(key);
    if (rows === undefined) return undefined;
    this.#rows.delete(key);
    this.#rows.set(key, rows);
    return rows;
  }

  set(key: string, rows: readonly Row[]): void {
    this.#rows.set(key, rows);
    this.#size += key.length;
    for (const oldest of this.#rows.keys()) {
      if (this.#size <= this.#limit) break;
      this.#rows.delete(oldest);
      this.#size -= oldest.length;
    }
  }
}

const cache = new DrawnCode();
