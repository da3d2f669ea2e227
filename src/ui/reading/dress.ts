/** The visible rows of the talk with what the reader is doing to them: the chosen block, finds, marks at the edge. */
import { type Row, type Span, span } from '../../render/row.ts';
import type { GapMark } from '../../transcript/gap-marks.ts';
import type { TalkWindow } from '../talk.ts';
import { type FoundRow, withFinds } from './found-rows.ts';
import { MARK_SIGNS } from './mark-words.ts';
import type { Needle } from './needle.ts';

export interface Dress {
  /** Whether a block is chosen. */
  readonly isChosen: (block: string) => boolean;
  /** What is searched for; null for nothing. */
  readonly needle: Needle | null;
  /** The find that was gone to. */
  readonly chosen: (FoundRow & { readonly block: string }) | null;
  readonly marks: readonly GapMark[];
}

export interface DressedRows {
  readonly rows: readonly Row[];
  /** What stands at the left edge of each row: one cell. */
  readonly lane: readonly Span[];
}

const EMPTY_LANE = span(' ', 'text');
const CHOSEN = span('▌', 'accent');

export function dressed({ places, rows }: TalkWindow, dress: Dress): DressedRows {
  const { chosen, isChosen, marks, needle } = dress;
  const lane = places.map(({ block, row }): Span => {
    if (row < 0) return EMPTY_LANE;
    const mark = row === 0 ? marks.findLast(({ at }) => at === block.id) : undefined;
    if (mark !== undefined) return span(MARK_SIGNS[mark.kind], isChosen(block.id) ? 'accent' : 'warn');
    return isChosen(block.id) ? CHOSEN : EMPTY_LANE;
  });
  if (needle === null) return { rows, lane };
  const marked = rows.map((row, index) => {
    const place = places[index];
    if (place === undefined || place.row < 0) return row;
    const isFound = chosen !== null && chosen.block === place.block.id && chosen.row === place.row;
    return withFinds(row, needle, isFound ? chosen.nth : null);
  });
  return { rows: marked, lane };
}
