import { expect, it } from 'vitest';
import { INITIAL, type State } from '../../../src/store/state.ts';
import { SeenEnds } from '../../../src/ui/reading/seen-ends.ts';
import { said } from './desk.ts';

function stateOf(
  id: string,
  blocks: readonly string[],
  historyState: State['historyState'] = 'complete',
): State {
  const history = blocks.map((block) => said(block, block));
  return { ...INITIAL, session: { id, title: '', control: 'mine' }, historyState, history };
}

it('who comes back to a session sees where the new begins', () => {
  const ends = new SeenEnds();
  ends.hear(stateOf('one', ['a']), 'at-end');
  ends.hear(stateOf('one', ['a', 'b']), 'at-end');
  expect(ends.hear(stateOf('two', []), 'at-end')).toBeNull();
  expect(ends.hear(stateOf('one', [], 'loading'), 'at-end')).toBeNull();
  expect(ends.hear(stateOf('one', [], 'loading'), 'at-end')).toBeUndefined();
  expect(ends.hear(stateOf('one', ['a', 'b', 'c', 'd']), 'at-end')).toBe('c');
  expect(ends.hear(stateOf('one', ['a', 'b', 'c', 'd', 'e']), 'at-end')).toBeUndefined();
});

it('what came while the reader was elsewhere in the session is new, too', () => {
  const ends = new SeenEnds();
  ends.hear(stateOf('one', ['a']), 'at-end');
  ends.hear(stateOf('one', ['a']), 'at-end');
  ends.hear(stateOf('one', ['a', 'b']), 'elsewhere');
  ends.hear(stateOf('two', []), 'at-end');
  ends.hear(stateOf('one', []), 'at-end');
  expect(ends.hear(stateOf('one', ['a', 'b']), 'at-end')).toBe('b');
});

it('nothing is new where nothing came, or where the old end is not held', () => {
  const ends = new SeenEnds();
  ends.hear(stateOf('one', ['a']), 'at-end');
  ends.hear(stateOf('one', ['a']), 'at-end');
  ends.hear(stateOf('two', []), 'at-end');
  ends.hear(stateOf('one', []), 'at-end');
  expect(ends.hear(stateOf('one', ['a']), 'at-end')).toBeNull();
  ends.hear(stateOf('two', []), 'at-end');
  ends.hear(stateOf('one', []), 'at-end');
  expect(ends.hear(stateOf('one', ['x', 'y']), 'at-end')).toBeNull();
});
