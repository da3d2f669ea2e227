/** The ladder out of the program: what Ctrl+C, Ctrl+D and Esc do at this moment. */
import type { State } from '../../store/state.ts';
import { deleteForward, replaceAll } from '../composer/text-buffer.ts';
import type { Desk } from '../desk.ts';
import { isTooSmall } from '../frame.ts';
import type { ReadMoment } from '../keys/input-source.ts';
import { type LadderKey, type LadderTurn, pressLadder } from '../keys/interrupt-ladder.ts';

export function pressWayOut(key: LadderKey, desk: Desk, { batch, atMs }: ReadMoment): void {
  const { conversation, store, view } = desk;
  const seen = view.getState();
  const state = store.getState();
  const { attachments, ladder, draft } = seen;
  // What nobody can see is neither emptied nor stopped.
  const isHidden = state.setup !== null || isTooSmall(seen.size);
  const hasFiles = key === 'ctrl-c' && attachments.length > 0;
  const filled = isHidden || (draft.text === '' && !hasFiles) ? 'empty' : 'filled';
  const turn: LadderTurn = isHidden ? { phase: 'none' } : ladderTurn(state);
  const step = pressLadder(ladder, { key, draft: filled, turn, nowMs: atMs, batch });
  view.update((before) => ({ ...before, ladder: step.state }));
  switch (step.action) {
    case 'clear-draft':
      view.update((before) => ({ ...before, attachments: [], draft: replaceAll(before.draft, '') }));
      conversation.keepDraft('');
      return;
    case 'stop-turn':
      conversation.stop();
      return;
    case 'delete-forward':
      desk.edit((before) => ({ ...before, draft: deleteForward(before.draft) }));
      return;
    case 'leave':
      desk.leave();
      return;
    case 'hint':
    case 'none':
      return;
  }
}

/** The running turn as the ladder sees it. */
export function ladderTurn({ live }: State): LadderTurn {
  return live === null
    ? { phase: 'none' }
    : { phase: live.stopping ? 'stopping' : 'running', id: live.turnId };
}
