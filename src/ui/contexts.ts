/** Who listens to the keys now, the innermost first. */
import type { State } from '../store/state.ts';
import { chosenOffer } from './completion/completion-steps.ts';
import { isTooSmall } from './frame.ts';
import type { KeyContext } from './keys/bindings.ts';
import type { View } from './view.ts';

export function contextsOf(state: State, view: View): readonly KeyContext[] {
  if (view.help !== null) return ['help', 'chat'];
  if (view.screen === 'login') return [view.login.focus === 'field' ? 'login-field' : 'login', 'chat'];
  if (view.screen === 'settings')
    return view.picker === null ? ['settings', 'chat'] : ['picker', 'composer', 'chat'];
  if (state.setup !== null) return ['choice', 'chat'];
  if (view.screen === 'sessions') return ['list', 'chat'];
  if (isTooSmall(view.size)) return ['chat'];
  // Its keys say so when nothing is asked.
  const asked: readonly KeyContext[] = ['question'];
  if (view.detail !== null) return ['detail', ...asked, 'chat'];
  if (view.activity.hasKeys) return ['activity', ...asked, 'chat'];
  if (view.picker !== null) return ['picker', ...asked, 'composer', 'transcript', 'chat'];
  if (view.browse !== null) return ['browse', ...asked, 'transcript', 'chat'];
  if (view.search !== null) return ['search', ...asked, 'composer', 'transcript', 'chat'];
  if (view.historySearch !== null) return ['history', ...asked, 'composer', 'transcript', 'chat'];
  const chooses: readonly KeyContext[] = chosenOffer(view) === null ? [] : ['completion'];
  return [...chooses, ...asked, 'composer', 'transcript', 'chat'];
}
