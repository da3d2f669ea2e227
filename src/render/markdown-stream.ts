/**
 * Markdown that is still being written.
 *
 * Invariants
 * - `rows(width)` equals `markdownRows(everything appended so far, width)`, however it was cut.
 * - A block is settled when nothing that may follow can change it: it ends with a blank line, and the next
 *   block's first line is whole (only that line can say whether a list or indented code goes on). Without
 *   reference definitions (see `markdown-lexer.ts`) blocks are independent, so settled ones are never parsed
 *   again; they are drawn again only for another width or newly loaded grammars.
 * - The cost of `append` and `rows` grows with the new text and the unsettled tail.
 */
import { highlightRevision } from './highlight.ts';
import { blockRows, markdownSource } from './markdown.ts';
import { lexBlocks, type Token } from './markdown-lexer.ts';
import { BLANK_ROW, type Row } from './row.ts';
import { sanitise } from './sanitise.ts';

interface Drawing {
  readonly width: number;
  readonly revision: number;
  /** Rows of settled blocks only. */
  readonly settled: Row[];
  /** Rows of everything, until more is appended. */
  all: readonly Row[] | null;
}

export class MarkdownStream {
  /** Sanitised source of settled blocks. */
  readonly #settled: string[] = [];
  /** Sanitised whole lines after the settled blocks. */
  #tail = '';
  /** The raw line that has no end yet. */
  #line = '';
  #drawing: Drawing | null = null;

  /** Adds text as it arrives, cut anywhere. */
  append(delta: string): void {
    if (delta === '') return;
    const end = delta.lastIndexOf('\n') + 1;
    if (end > 0) {
      this.#tail += sanitise(this.#line + delta.slice(0, end));
      this.#line = delta.slice(end);
    } else {
      this.#line += delta;
    }
    if (this.#drawing !== null) this.#drawing.all = null;
  }

  /** Rows of everything appended, at most `width` cells wide. The same array until something changes. */
  rows(width: number): readonly Row[] {
    const drawing = this.#drawingFor(width);
    drawing.all ??= this.#draw(drawing);
    return drawing.all;
  }

  #drawingFor(width: number): Drawing {
    const revision = highlightRevision();
    const known = this.#drawing;
    if (known !== null && known.width === width && known.revision === revision) return known;
    const settled: Row[] = [];
    for (const source of this.#settled) addBlocks(settled, blockRows(lexBlocks(source), width));
    const drawing: Drawing = { width, revision, settled, all: null };
    this.#drawing = drawing;
    return drawing;
  }

  #draw(drawing: Drawing): readonly Row[] {
    const source = this.#tail + markdownSource(this.#line);
    const tokens = lexBlocks(source);
    const cut = settledTokens(tokens, source, this.#tail.length);
    if (cut.tokens > 0) {
      this.#settled.push(source.slice(0, cut.length));
      this.#tail = this.#tail.slice(cut.length);
      addBlocks(drawing.settled, blockRows(tokens.slice(0, cut.tokens), drawing.width));
    }
    const all = [...drawing.settled];
    addBlocks(all, blockRows(tokens.slice(cut.tokens), drawing.width));
    return all;
  }
}

function addBlocks(rows: Row[], more: readonly Row[]): void {
  if (more.length === 0) return;
  if (rows.length > 0) rows.push(BLANK_ROW);
  for (const row of more) rows.push(row);
}

interface Cut {
  readonly tokens: number;
  readonly length: number;
}

const STARTS_WHOLE = /^[^\n]*\S[^\n]*\n/;

/** How many tokens at the start are settled, and how much source they cover. */
function settledTokens(tokens: readonly Token[], source: string, wholeLines: number): Cut {
  let best: Cut = { tokens: 0, length: 0 };
  let offset = 0;
  let count = 0;
  for (const token of tokens) {
    if (!source.startsWith(token.raw, offset)) break;
    if (count > 0 && isBoundary(source, offset, wholeLines)) best = { tokens: count, length: offset };
    offset += token.raw.length;
    count += 1;
  }
  return best;
}

function isBoundary(source: string, offset: number, wholeLines: number): boolean {
  const lineEnd = source.indexOf('\n', offset);
  if (lineEnd < 0 || lineEnd >= wholeLines) return false;
  return STARTS_WHOLE.test(source.slice(offset, lineEnd + 1)) && endsBlank(source, offset);
}

/** Whether the line before `offset` is blank. Only its own characters are looked at. */
function endsBlank(source: string, offset: number): boolean {
  if (source[offset - 1] !== '\n') return false;
  const before = source.lastIndexOf('\n', offset - 2);
  return before >= 0 && source.slice(before + 1, offset - 1).trim() === '';
}
