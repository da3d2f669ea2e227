/** What a person said. A pasted log gives its start and a count. */
import { span } from '../../../render/row.ts';
import { textRows } from '../../../render/wrap.ts';
import type { UserBlock } from '../../../transcript/blocks.ts';
import { type Look, type LookOptions, longText } from './look.ts';

const SAID = span('  you   ', 'user');
const STEERED = span('  you ↳ ', 'user');
const SAID_REST = span('        ', 'text');
/** Longer messages are folded to the second number of rows. */
const LONG_ROWS = 20;
const SHOWN_ROWS = 12;

export function userLook({ steer, text }: UserBlock, options: LookOptions): Look {
  const first = [steer === true ? STEERED : SAID];
  const rows = textRows(text, 'user', options.width, { first, rest: [SAID_REST] });
  return longText(rows, LONG_ROWS, SHOWN_ROWS, options);
}
