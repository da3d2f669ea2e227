/** Who listens to the keys now, the innermost first. */
import type { State } from '../store/state.ts';
import { SMALLEST } from './frame.ts';
import type { KeyContext } from './keys/bindings.ts';
import type { View } from './view.ts';

export function contextsOf(state: State, view: View): readonly KeyContext[] {
  const { columns, rows } = view.size;
  if (view.help !== null) return ['help', 'chat'];
  if (state.setup !== null) return ['choice', 'chat'];
  if (view.screen === 'sessions') return ['list', 'chat'];
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return ['chat'];
  const asks = (state.live?.envelopes?.questions.length ?? 0) > 0;
  return asks ? ['question', 'composer', 'transcript', 'chat'] : ['composer', 'transcript', 'chat'];
}
