/** Which marks follow from what happened to a session that is watched here. */
import { type AnyEnvelope, isKnown } from '../transcript/envelope.ts';
import { type GapKind, type GapMark, withMark } from '../transcript/gap-marks.ts';
import type { Control, State } from './state.ts';

/** The marks with one at a block: the last one that is seen where none is named. */
export function marked(
  state: State,
  kind: GapKind,
  more: Partial<Pick<GapMark, 'count' | 'time' | 'holder'>> & { readonly at?: string | null } = {},
): readonly GapMark[] {
  const { at = lastSeen(state), ...rest } = more;
  return at === null ? state.marks : withMark(state.marks, { count: 1, time: null, ...rest, kind, at });
}

/** Another window took control while this one watched, or this one got it back. */
export function handedOver(state: State, control: Control): readonly GapMark[] {
  const before = state.session?.control;
  const isAway = state.marks.findLast(({ kind }) => kind === 'control')?.holder === 'other';
  if (control === 'other' && before !== 'other') return marked(state, 'control', { holder: 'other' });
  return control === 'mine' && isAway ? marked(state, 'control', { holder: 'mine' }) : state.marks;
}

/** Another window had control between two things that were heard here; its connection is none of ours. */
export function takenMeanwhile(state: State, envelope: AnyEnvelope): readonly GapMark[] {
  if (!isKnown(envelope) || envelope.ev.t !== 'session-control-changed') return state.marks;
  const { tokenId } = envelope.ev;
  if (tokenId === undefined || state.connections.includes(tokenId)) return state.marks;
  return marked(state, 'control', { holder: 'other', time: envelope.time });
}

/** ID of the last block that has rows of its own. */
function lastSeen({ history, live }: State): string | null {
  const isSeen = (block: State['history'][number]): boolean =>
    block.kind === 'tool'
      ? block.agent === undefined
      : block.kind !== 'turn-end' || block.status !== 'completed';
  return (live?.blocks.findLast(isSeen) ?? history.findLast(isSeen))?.id ?? null;
}
