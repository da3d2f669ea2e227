/** What the agent says: Markdown, never folded. */
import { markdownRows } from '../../../render/markdown.ts';
import { BLANK_ROW, type Row, span } from '../../../render/row.ts';
import { rowOf } from '../../../render/row-builder.ts';
import type { AnswerBlock } from '../../../transcript/blocks.ts';
import { type Look, type LookOptions, whole } from './look.ts';

const INDENT = span('  ', 'text');

export function answerLook({ text }: AnswerBlock, { width }: LookOptions): Look {
  return whole(answerRows(markdownRows(text.replace(/^\n+/, ''), Math.max(2, width - 2))));
}

/** Rows of an answer as they stand in the talk. */
export function answerRows(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => (row.width === 0 ? BLANK_ROW : rowOf([INDENT, ...row.spans])));
}
