/** The keys, made from the list of bindings. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { cellWidth } from '../../render/width.ts';
import { helpTable, type KeyContext } from '../keys/bindings.ts';
import { bar } from './bar.ts';

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

/** All rows of the help, each at most `width` cells. */
export function helpRows(width: number): readonly Row[] {
  const rows: Row[] = [];
  let context: KeyContext | null = null;
  for (const entry of helpTable()) {
    if (entry.context !== context) {
      if (context !== null) rows.push(BLANK_ROW);
      rows.push(bar(width, [span(`  ${TITLES[entry.context]}`, 'heading')], []));
      context = entry.context;
    }
    const padding = ' '.repeat(Math.max(1, KEY_CELLS - cellWidth(entry.keys)));
    rows.push(bar(width, [span(`    ${entry.keys}${padding}`, 'accent'), span(entry.title, 'text')], []));
  }
  return rows;
}
