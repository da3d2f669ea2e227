/** The row between the talk and the draft while the reader searches or goes through the talk. */
import { type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth } from '../../render/width.ts';
import type { State } from '../../store/state.ts';
import type { Block } from '../../transcript/blocks.ts';
import { ACTIVITY_KEYS } from '../activity/activity-view.ts';
import { keyHint } from '../keys/bindings.ts';
import { blockName } from '../reading/block-text.ts';
import { type Found, numberOf } from '../reading/finder.ts';
import type { Search } from '../reading/reading.ts';
import { bar } from '../rows/bar.ts';
import { fieldText } from '../rows/field-row.ts';
import type { View } from '../view.ts';

export interface SearchRow {
  readonly row: Row;
  /** Of the caret, in cells. */
  readonly column: number;
}

const LABEL = ' search: ';
/** Narrower rows have no room for the count. */
const WIDE = 32;

export function searchRow(search: Search, found: Found, state: State, columns: number): SearchRow {
  const count = countWords(search, found, state);
  const room = Math.max(4, columns - LABEL.length - (columns >= WIDE ? cellWidth(count) + 2 : 0));
  const { column, text } = fieldText(search.field, room);
  const right = span(`${count} `, found.total === 0 && search.field.text !== '' ? 'warn' : 'dim');
  return {
    row: bar(
      columns,
      [span(LABEL, 'accent'), span(sanitiseLine(text), 'text')],
      columns >= WIDE ? [right] : [],
    ),
    column: LABEL.length + column,
  };
}

function countWords({ at, field }: Search, found: Found, state: State): string {
  if (field.text.trim() === '') return '';
  const { above, below } = state.edges;
  const isWhole = (above === 'none' || above === 'beginning') && below === 'end';
  const where = isWhole ? '' : ' in what is loaded';
  if (found.total === 0) return `not found${where}`;
  const of = found.total.toLocaleString('en');
  return at === null ? `${of} found${where}` : `${numberOf(found, at).toLocaleString('en')} of ${of}${where}`;
}

/** Names the chosen block, and what a mark at its edge means. */
export function browseRow(block: Block | null, explanation: string, columns: number): Row {
  const name = block === null ? '' : sanitiseLine(blockName(block));
  const words = explanation === '' ? [] : [span(` ${sanitiseLine(explanation)}`, 'warn')];
  const left = [span('── ', 'dim'), span(name, 'accent'), ...words, span(' ', 'dim')];
  return bar(columns, [...left, span('─'.repeat(columns), 'dim')], []);
}

/** The keys that matter while reading, the most needed last; null while writing. */
export function readingKeys({ activity, browse, search }: View): readonly string[] | null {
  if (activity.hasKeys) return ACTIVITY_KEYS.map(keyHint);
  if (search !== null) return [keyHint('search.next'), keyHint('search.previous'), keyHint('search.close')];
  if (browse === null) return null;
  const ids = ['browse.fold', 'browse.open', 'browse.copy', 'browse.close'] as const;
  return ids.map(keyHint);
}
