/**
 * Which turn the activity tells of: the one that runs, else the one that the reader is in, else the last.
 * A tree is made once for a turn that does not change.
 */
import type { State } from '../../store/state.ts';
import { type ActivityTree, activityTree, lastTurn, turnAround } from '../../transcript/activity.ts';
import type { Block } from '../../transcript/blocks.ts';
import type { LiveTurn } from '../../transcript/live-turn.ts';
import type { Scroll } from '../view.ts';

export interface ShownTurn {
  readonly tree: ActivityTree;
  readonly which: 'this' | 'last' | 'earlier';
}

const LIVE = new WeakMap<LiveTurn, ShownTurn>();
const SETTLED = new WeakMap<readonly Block[], { key: string | null; shown: ShownTurn }>();

export function shownTurn(
  { edges, history, live }: Pick<State, 'edges' | 'history' | 'live'>,
  scroll: Scroll,
): ShownTurn {
  if (live !== null) return liveTurn(live);
  const key = scroll.kind === 'tail' ? null : scroll.block;
  const known = SETTLED.get(history);
  if (known?.key === key) return known.shown;
  const shown = settledTurn(history, key, edges.below === 'end');
  SETTLED.set(history, { key, shown });
  return shown;
}

function liveTurn(live: LiveTurn): ShownTurn {
  const known = LIVE.get(live);
  if (known !== undefined) return known;
  const { blocks, compaction, envelopes } = live;
  const first = blocks[0]?.at ?? live.startedAt;
  const tree = activityTree({
    blocks,
    compaction,
    isRunning: true,
    startedAt: Math.min(first, live.startedAt),
    // Where envelopes tell everything, only counters can be left out.
    dropped: envelopes === null ? live.dropped : 0,
  });
  const shown: ShownTurn = { tree, which: 'this' };
  LIVE.set(live, shown);
  return shown;
}

/** @param isPresent nothing newer is known than what the history holds */
function settledTurn(history: readonly Block[], key: string | null, isPresent: boolean): ShownTurn {
  const place = key === null ? -1 : history.findLastIndex((block) => block.id === key);
  const last = lastTurn(history);
  const blocks = place < 0 ? last : turnAround(history, place);
  const isLast = isPresent && (place < 0 || blocks[0] === last[0]);
  const rest = { startedAt: null, isRunning: false, compaction: null, dropped: 0 };
  return { tree: activityTree({ blocks, ...rest }), which: isLast ? 'last' : 'earlier' };
}
