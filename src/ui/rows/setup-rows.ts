/** The first screen: who should answer. The chosen entry is always in sight, and what it explains stands right below it. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import type { Choice } from '../../store/state.ts';
import { bar } from './bar.ts';
import { cutRows } from './cut-rows.ts';

export interface SetupInput {
  readonly choices: readonly Choice[];
  readonly selected: number;
  /** Explanation of a choice that cannot be taken yet; empty for none. */
  readonly howTo: string;
  readonly folder: string;
}

const LABEL_CELLS = 28;
/** Below so many columns labels stand alone. */
const NARROW = 60;

/** At most `height` rows of the screen without its key row; each at most `width` cells. */
export function setupRows(input: SetupInput, width: number, height: number): readonly Row[] {
  const list = input.choices.map((choice, index) => choiceRow(choice, index === input.selected, width));
  const all = howToRows(input.howTo, width);
  const below = all.length === 0 ? [] : [BLANK_ROW, ...all];
  const heads = headsOf(input.folder, width);
  const head = heads.find((rows) => rows.length + list.length + below.length <= height);
  if (head !== undefined) return [...head, ...list, ...below];
  // Where not everything fits the list gives way, down to the chosen entry.
  const least = all.length === 0 ? (heads.at(-1) ?? []) : [];
  const howTo = cutRows(all, height - 1, width);
  const room = Math.max(1, height - least.length - howTo.length);
  const first = Math.max(0, Math.min(input.selected - Math.floor(room / 2), list.length - room));
  const to = howTo.length === 0 ? first + room : input.selected + 1;
  return [...least, ...list.slice(first, to), ...howTo, ...list.slice(to, first + room)];
}

/** What may stand above the list, the roomiest first. */
function headsOf(folder: string, width: number): readonly (readonly Row[])[] {
  const margin = width < NARROW ? ' ' : '   ';
  const question = bar(width, [span(`${margin}Who should answer?`, 'text')], []);
  const name = span(`${margin}magi-term`, 'strong');
  const title = bar(width, [name, span(` · ${sanitiseLine(folder)}`, 'dim')], []);
  const usual = [title, BLANK_ROW, question, BLANK_ROW];
  return [[BLANK_ROW, BLANK_ROW, ...usual], usual, [question]];
}

function howToRows(text: string, width: number): readonly Row[] {
  if (text === '') return [];
  const indent = [span(width < NARROW ? '  ' : '     ', 'text')];
  return textRows(text, 'warn', width, { first: indent, rest: indent });
}

function choiceRow(choice: Choice, selected: boolean, width: number): Row {
  const isNarrow = width < NARROW;
  const mark = selected
    ? span(isNarrow ? ' › ' : '   › ', 'accent')
    : span(isNarrow ? '   ' : '     ', 'text');
  const style = selected ? 'strong' : choice.howTo === '' ? 'text' : 'dim';
  if (isNarrow) return bar(width, [mark, span(truncate(sanitiseLine(choice.label), width - 3), style)], []);
  const label = truncate(sanitiseLine(choice.label), LABEL_CELLS);
  const padded = label + ' '.repeat(LABEL_CELLS + 2 - cellWidth(label));
  const detail = truncate(sanitiseLine(choice.detail), width - LABEL_CELLS - 7);
  return bar(width, [mark, span(padded, style), span(detail, 'dim')], []);
}
