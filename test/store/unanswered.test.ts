import { expect, it } from 'vitest';
import { INITIAL, type State } from '../../src/store/state.ts';
import { unanswered } from '../../src/store/unanswered.ts';
import type { Block } from '../../src/transcript/blocks.ts';
import { beginTurn } from '../../src/transcript/live-turn.ts';

const FAILED = { status: 'failed', assistant_text: '' } as const;
const asked: Block = { kind: 'user', id: 'u', revision: 0, text: 'please' };
const answer: Block = { kind: 'answer', id: 'a', revision: 0, turn: 't', text: 'yes', open: false };

function running(blocks: readonly Block[], history: readonly Block[] = [asked]): State {
  return { ...INITIAL, history, live: { ...beginTurn('t', { newId: () => 'x', now: 0 }), blocks } };
}

it('is the message of a turn that failed before a word, wherever it stands', () => {
  expect(unanswered(running([]), FAILED)).toBe('please');
  expect(unanswered(running([asked], [answer]), FAILED)).toBe('please');
});

it('is nothing once something was said or done, or when the turn has not failed', () => {
  expect(unanswered(running([answer]), FAILED)).toBeNull();
  expect(unanswered(running([]), { ...FAILED, assistant_text: 'half' })).toBeNull();
  expect(unanswered(running([]), { status: 'cancelled', assistant_text: '' })).toBeNull();
  expect(unanswered({ ...running([]), live: null }, FAILED)).toBeNull();
});
