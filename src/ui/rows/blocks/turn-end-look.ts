/** How a turn ended, where that needs a word. */
import { span } from '../../../render/row.ts';
import { textRows } from '../../../render/wrap.ts';
import type { TurnEndBlock } from '../../../transcript/blocks.ts';
import { type Look, type LookOptions, whole } from './look.ts';

const INDENT = { first: [span('  ', 'text')], rest: [span('  ', 'text')] };

export function turnEndLook({ reason, status }: TurnEndBlock, { width }: LookOptions): Look {
  if (status === 'completed') return whole([]);
  const word = status === 'cancelled' ? '■ stopped' : '✗ failed';
  const style = status === 'cancelled' ? 'dim' : 'bad';
  return whole(textRows(reason === '' ? word : `${word}: ${reason}`, style, width, INDENT));
}
