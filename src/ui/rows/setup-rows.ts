/** The first screen: who should answer. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import type { Choice } from '../../store/state.ts';
import { bar } from './bar.ts';

export interface SetupInput {
  readonly choices: readonly Choice[];
  readonly selected: number;
  /** Explanation of a choice that cannot be taken yet; empty for none. */
  readonly howTo: string;
  readonly folder: string;
}

const LABEL_CELLS = 28;

/** Rows of the screen without its key row; each at most `width` cells. */
export function setupRows(input: SetupInput, width: number): readonly Row[] {
  const rows: Row[] = [
    bar(width, [span('   magi-term', 'strong'), span(` · ${sanitiseLine(input.folder)}`, 'dim')], []),
    BLANK_ROW,
    bar(width, [span('   Who should answer?', 'text')], []),
    BLANK_ROW,
  ];
  for (const [index, choice] of input.choices.entries())
    rows.push(choiceRow(choice, index === input.selected, width));
  if (input.howTo !== '') {
    const indent = [span('     ', 'text')];
    rows.push(BLANK_ROW, ...textRows(input.howTo, 'warn', width, { first: indent, rest: indent }));
  }
  return rows;
}

function choiceRow(choice: Choice, selected: boolean, width: number): Row {
  const label = truncate(sanitiseLine(choice.label), LABEL_CELLS);
  const padded = label + ' '.repeat(Math.max(1, LABEL_CELLS + 2 - cellWidth(label)));
  const mark = selected ? span('   › ', 'accent') : span('     ', 'text');
  const style = choice.howTo === '' ? 'text' : 'dim';
  return bar(
    width,
    [mark, span(padded, selected ? 'strong' : style), span(sanitiseLine(choice.detail), 'dim')],
    [],
  );
}
