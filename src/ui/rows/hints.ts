/** Key hints in a row that may be too short for all of them: each stands whole or not at all. */
import { cellWidth } from '../../render/width.ts';
import { type CommandId, keyHint } from '../keys/bindings.ts';

const GAP = '  ';

/** The hints of these commands, the most needed first, as far as they fit into `width` cells. */
export function hintsThatFit(ids: readonly CommandId[], width: number): string {
  return wordsThatFit(ids.map(keyHint), width);
}

/** The same for hints that are worded by whoever shows them; empty ones are left out. */
export function wordsThatFit(hints: readonly string[], width: number): string {
  let shown = '';
  for (const hint of hints) {
    const longer = shown === '' || hint === '' ? shown + hint : `${shown}${GAP}${hint}`;
    if (cellWidth(longer) <= width) shown = longer;
  }
  return shown;
}
