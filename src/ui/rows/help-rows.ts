/** The keys, made from the list of bindings. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { cellWidth } from '../../render/width.ts';
import { wrapSpans } from '../../render/wrap.ts';
import { type HelpRow, helpTable, type KeyContext } from '../keys/bindings.ts';

const TITLES: Record<KeyContext, string> = {
  chat: 'Everywhere',
  question: 'The agent asks',
  composer: 'Writing',
  completion: 'Choosing what a word becomes',
  history: 'Finding a sent message',
  transcript: 'Reading',
  browse: 'Going through the talk',
  search: 'Searching',
  detail: 'In full',
  list: 'Lists',
  choice: 'Questions',
  login: 'Signing in',
  'login-field': 'Signing in by hand',
  settings: 'Settings',
  activity: 'What the agent does',
  picker: 'Choosing for the session',
  help: 'This help',
};

const KEY_CELLS = 32;
/** Below so many columns keys and what they do stand below each other. */
const NARROW = 60;

/** All rows of the help, each at most `width` cells. @param first the section to begin with; null for the usual order */
export function helpRows(width: number, first: KeyContext | null): readonly Row[] {
  const table = helpTable();
  const sorted = table.toSorted(
    (one, other) => Number(other.context === first) - Number(one.context === first),
  );
  const rows: Row[] = [];
  let context: KeyContext | null = null;
  for (const entry of sorted) {
    if (entry.context !== context) {
      if (context !== null) rows.push(BLANK_ROW);
      rows.push(...wrapSpans([span(`  ${TITLES[entry.context]}`, 'heading')], width));
      context = entry.context;
    }
    rows.push(...keyRows(entry, width));
  }
  return rows;
}

function keyRows({ keys, title }: HelpRow, width: number): Row[] {
  const isNarrow = width < NARROW;
  const indent = [span(isNarrow ? '  ' : '    ', 'text')];
  if (isNarrow) {
    const deeper = [span('    ', 'text')];
    return [
      ...wrapSpans([span(keys, 'accent')], width, { first: indent, rest: indent }),
      ...wrapSpans([span(title, 'text')], width, { first: deeper, rest: deeper }),
    ];
  }
  const padding = ' '.repeat(Math.max(1, KEY_CELLS - cellWidth(keys)));
  const rest = [span(' '.repeat(4 + KEY_CELLS), 'text')];
  return wrapSpans([span(title, 'text')], width, {
    first: [...indent, span(keys + padding, 'accent')],
    rest,
  });
}
