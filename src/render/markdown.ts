/**
 * Markdown to rows. Invariants: a block's rows depend on its token and the width alone; all text passes
 * `sanitise`; no row is wider than the width (2 or more); one blank row between blocks, none at either end.
 */
import { codeRows, openCodeRows } from './code.ts';
import { inlineSpans } from './markdown-inline.ts';
import { known, lexBlocks, type Token, type Tokens } from './markdown-lexer.ts';
import { tableRows } from './markdown-table.ts';
import { BLANK_ROW, type Row, type Span, type Style, span } from './row.ts';
import { rowOf, spansWidth } from './row-builder.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import { truncate } from './width.ts';
import { wrapSpans } from './wrap.ts';

/** Content narrower than this is not indented any further. */
const MIN_CONTENT = 8;
const CODE_INDENT = span('  ', 'text');
const QUOTE_BAR = span('│ ', 'quote');
const BULLET = '• ';

/** Rows of Markdown from any source, at most `width` cells wide. */
export function markdownRows(source: string, width: number): Row[] {
  return blockRows(lexBlocks(markdownSource(source)), width);
}

/** What is parsed for a source: sanitised, without half a character at its end. */
export function markdownSource(source: string): string {
  return sanitise(source.replace(/[\ud800-\udbff]$/, ''));
}

/** Rows of blocks, a blank row between each two that show something. */
export function blockRows(tokens: readonly Token[], width: number): Row[] {
  return separated(
    tokens.map((token) => tokenRows(token, Math.max(2, width), 'text')),
    'loose',
  );
}

/** Joins the rows of blocks. */
function separated(blocks: ReadonlyArray<readonly Row[]>, spacing: 'loose' | 'tight'): Row[] {
  const rows: Row[] = [];
  for (const block of blocks) {
    if (block.length === 0) continue;
    if (rows.length > 0 && spacing === 'loose') rows.push(BLANK_ROW);
    for (const row of block) rows.push(row);
  }
  return rows;
}

function tokenRows(token: Token, width: number, style: Style): Row[] {
  const block = known(token);
  switch (block.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return inlineRows(block.tokens, width, 'heading');
    case 'paragraph':
      return inlineRows(block.tokens, width, style);
    case 'text':
      return inlineRows(block.tokens ?? [block], width, style);
    case 'code':
      return codeBlockRows(block, width);
    case 'html':
      return literalRows(block.raw, width, style);
    case 'hr':
      return [rowOf([span('─'.repeat(width), 'dim')])];
    case 'blockquote':
      return quoteRows(block, width);
    case 'list':
      return listRows(block, width, style);
    case 'table':
      return tableRows(block, width);
    default:
      return inlineRows([block], width, style);
  }
}

function inlineRows(tokens: readonly Token[], width: number, style: Style): Row[] {
  const spans = inlineSpans(tokens, style);
  return spans.every((part) => part.text.trim() === '') ? [] : wrapSpans(spans, width);
}

function literalRows(source: string, width: number, style: Style): Row[] {
  const text = sanitise(source).replace(/^\n+|\s+$/g, '');
  return text === '' ? [] : wrapSpans([span(text, style)], width);
}

function codeBlockRows(block: Tokens.Code, width: number): Row[] {
  const language = /^\S+/.exec(sanitiseLine(block.lang ?? '').trim())?.[0] ?? null;
  const indent = width - 2 >= MIN_CONTENT ? [CODE_INDENT] : [];
  const inner = width - spansWidth(indent);
  const label = language === null ? [] : [rowOf([span(truncate(language, inner), 'dim')])];
  const text = block.text.replace(/\n$/, '');
  const code = isOpenFence(block) ? openCodeRows(text, language, inner) : codeRows(text, language, inner);
  return prefixed([...label, ...code], indent, indent);
}

/** Whether the block is a fence that nothing has closed. */
function isOpenFence(block: Tokens.Code): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(block.raw)?.[1];
  if (fence === undefined) return false;
  const raw = block.raw.trimEnd();
  const lastLine = raw.slice(raw.lastIndexOf('\n') + 1).trim();
  return !raw.includes('\n') || !/^(?:`+|~+)$/.test(lastLine) || !lastLine.startsWith(fence);
}

function quoteRows(block: Tokens.Blockquote, width: number): Row[] {
  const bar = width - 2 >= MIN_CONTENT ? [QUOTE_BAR] : [];
  const inner = width - spansWidth(bar);
  const rows = separated(
    block.tokens.map((token) => tokenRows(token, inner, 'quote')),
    'loose',
  );
  return prefixed(rows, bar, bar);
}

function listRows(list: Tokens.List, width: number, style: Style): Row[] {
  const spacing = list.loose ? 'loose' : 'tight';
  return separated(
    list.items.map((item) => itemRows(item, list.ordered, spacing, width, style)),
    spacing,
  );
}

function itemRows(
  item: Tokens.ListItem,
  ordered: Tokens.List['ordered'],
  spacing: 'loose' | 'tight',
  width: number,
  style: Style,
): Row[] {
  const marker = [span(ordered ? ownNumber(item) : BULLET, 'marker')];
  if (item.task) marker.push(span(item.checked === true ? '[x] ' : '[ ] ', 'marker'));
  const used = spansWidth(marker);
  const isRoomy = width - used >= MIN_CONTENT;
  const inner = isRoomy ? width - used : width;
  const rows = separated(
    item.tokens.map((token) => tokenRows(token, inner, style)),
    spacing,
  );
  if (!isRoomy) return [...wrapSpans(marker, width), ...rows];
  if (rows.length === 0) return [rowOf(marker)];
  const hang = [span(' '.repeat(used), 'text')];
  return prefixed(rows, marker, hang);
}

/** The number as the writer wrote it, also where it does not count up by one. */
function ownNumber(item: Tokens.ListItem): string {
  const written = /^\s*(\d{1,9}[.)])/.exec(item.raw)?.[1];
  return written === undefined ? BULLET : `${written} `;
}

function prefixed(rows: readonly Row[], first: readonly Span[], rest: readonly Span[]): Row[] {
  return rows.map((row, index) => {
    const prefix = index === 0 ? first : rest;
    const isInvisible = row.spans.length === 0 && prefix.every((part) => part.text.trim() === '');
    return isInvisible ? BLANK_ROW : rowOf([...prefix, ...row.spans]);
  });
}
