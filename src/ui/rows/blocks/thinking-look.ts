/** What the agent thought: one line, unless the reader wants more. */
import { type Row, span } from '../../../render/row.ts';
import { sanitiseLine } from '../../../render/sanitise.ts';
import { cellWidth } from '../../../render/width.ts';
import { textRows } from '../../../render/wrap.ts';
import type { ThinkingBlock } from '../../../transcript/blocks.ts';
import { bar } from '../bar.ts';
import { bounded, type Look, type LookOptions, MAX_DETAIL_ROWS, whole } from './look.ts';

const INDENT = '    ';
const LABEL = 'thought  ';

export function thinkingLook({ text }: ThinkingBlock, { fold, width }: LookOptions): Look {
  const line = sanitiseLine(text.trim());
  const folded = (mark: string): Row =>
    bar(width, [span(`  ${mark} ${LABEL}`, 'dim'), span(line, 'dim')], []);
  if (cellWidth(line) + LABEL.length + INDENT.length <= width && !text.trim().includes('\n'))
    return whole([folded('·')]);
  if (fold === 'folded') return { rows: [folded('▸')], folds: ['folded', 'open'] };
  const indent = [span(INDENT, 'text')];
  const rows = textRows(text.trim(), 'dim', width, { first: indent, rest: indent });
  const isLong = rows.length > MAX_DETAIL_ROWS;
  return {
    rows: [
      bar(width, [span('  ▾ thought', 'dim')], []),
      ...(fold === 'open' ? bounded(rows, MAX_DETAIL_ROWS, INDENT, width) : rows),
    ],
    folds: isLong ? ['folded', 'open', 'all'] : ['folded', 'open'],
  };
}
