/** How each block of the talk looks: blocks in, rows out. Everything passes the sanitiser on its way. */
import { diffRows } from '../../render/diff.ts';
import { markdownRows } from '../../render/markdown.ts';
import { BLANK_ROW, type Row, type Span, type Style, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import type { Block, ToolBlock, TurnEndBlock } from '../../transcript/blocks.ts';
import { bar } from './bar.ts';
import { seconds } from './format.ts';

const INDENT = span('  ', 'text');
const SAID = span('  you   ', 'user');
const STEERED = span('  you ↳ ', 'user');
const SAID_REST = span('        ', 'text');
const TOOL_NAME_CELLS = 8;
const NOTICE_INDENT = span('             ', 'text');

export interface BlockLayout {
  /** Cells. */
  readonly width: number;
  /** A blank row goes in front. */
  readonly apart: boolean;
  /** Ready rows of an answer that is being written; null for any other block. */
  readonly answer: readonly Row[] | null;
}

/** Rows of one block, each at most `width` cells. */
export function blockRows(block: Block, { width, apart, answer }: BlockLayout): readonly Row[] {
  const rows = answer ?? contentRows(block, width);
  return rows.length === 0 || !apart ? rows : [BLANK_ROW, ...rows];
}

/** Tool calls stand in one list, without blank rows between them. */
export function sticksTogether(before: Block, block: Block): boolean {
  return before.kind === 'tool' && block.kind === 'tool';
}

function contentRows(block: Block, width: number): readonly Row[] {
  switch (block.kind) {
    case 'user':
      return textRows(block.text, 'user', width, {
        first: [block.steer === true ? STEERED : SAID],
        rest: [SAID_REST],
      });
    case 'answer':
      return answerRows(markdownRows(block.text.replace(/^\n+/, ''), Math.max(2, width - 2)));
    case 'thinking':
      return [bar(width, [span('  ▸ thought ', 'dim'), span(sanitiseLine(block.text), 'dim')], [])];
    case 'tool':
      return toolRows(block, width);
    case 'service':
      return textRows(block.text, block.tone === 'error' ? 'bad' : 'dim', width, {
        first: [INDENT],
        rest: [INDENT],
      });
    case 'turn-end':
      return endRows(block, width);
  }
}

/** Rows of an answer as they stand in the talk. */
export function answerRows(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => (row.width === 0 ? BLANK_ROW : rowOf([INDENT, ...row.spans])));
}

const TOOL_MARKS: Record<ToolBlock['status'], { mark: string; style: Style; word: string }> = {
  running: { mark: '◐', style: 'accent', word: 'running' },
  ok: { mark: '▸', style: 'dim', word: '' },
  error: { mark: '✗', style: 'bad', word: 'failed' },
  denied: { mark: '⊘', style: 'warn', word: 'not allowed' },
  cancelled: { mark: '■', style: 'dim', word: 'stopped' },
};

function toolRows(block: ToolBlock, width: number): readonly Row[] {
  const { mark, style, word } = TOOL_MARKS[block.status];
  const name = sanitiseLine(block.name);
  const padding = ' '.repeat(Math.max(1, TOOL_NAME_CELLS + 1 - cellWidth(name)));
  const left = [
    span(block.nested === true ? '    ' : '  ', 'text'),
    span(`${mark} `, style),
    span(name, 'strong'),
    span(`${padding}${sanitiseLine(block.title)}`, 'text'),
  ];
  const right: Span[] = [];
  if (word !== '') right.push(span(word, style));
  if (block.durationMs !== null)
    right.push(span(`${right.length > 0 ? '  ' : ''}${seconds(block.durationMs)}`, 'dim'));
  const rows: Row[] = [bar(width, left, right)];
  if (block.notice !== '')
    rows.push(...textRows(block.notice, 'warn', width, { first: [NOTICE_INDENT], rest: [NOTICE_INDENT] }));
  if (block.diff !== '') rows.push(...answerRows(diffRows(block.diff, Math.max(2, width - 2))));
  return rows;
}

function endRows(block: TurnEndBlock, width: number): readonly Row[] {
  if (block.status === 'completed') return [];
  const word = block.status === 'cancelled' ? '■ stopped' : '✗ failed';
  const style = block.status === 'cancelled' ? 'dim' : 'bad';
  const text = block.reason === '' ? word : `${word}: ${block.reason}`;
  return textRows(text, style, width, { first: [INDENT], rest: [INDENT] });
}
