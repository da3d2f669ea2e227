/** What the service says between the words of people and agent: notices, failures, summaries of what was said before. */
import { span } from '../../../render/row.ts';
import { textRows } from '../../../render/wrap.ts';
import type { ServiceBlock } from '../../../transcript/blocks.ts';
import { type Look, type LookOptions, longText, whole } from './look.ts';

const INDENT = { first: [span('  ', 'text')], rest: [span('  ', 'text')] };
/** Longer notices are folded to the second number of rows. */
const LONG_ROWS = 6;
const SHOWN_ROWS = 3;

export function serviceLook({ text, tone }: ServiceBlock, options: LookOptions): Look {
  const rows = textRows(text, tone === 'error' ? 'bad' : 'dim', options.width, INDENT);
  return tone === 'error' ? whole(rows) : longText(rows, LONG_ROWS, SHOWN_ROWS, options);
}
