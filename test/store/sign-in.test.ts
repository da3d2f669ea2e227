import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beginSignIn,
  type SignInInput,
  type SignInState,
  STAGES,
  signInStep,
} from '../../src/store/sign-in.ts';
import { endWords, stageWords } from '../../src/store/sign-in-words.ts';
import { loginTerminal } from '../../src/wire/auth.ts';

const URL_MADE_UP = 'https://auth.example.test/authorize?client_id=made-up';
const TERMINALS = loginTerminal.shape.state.options;

function walk(inputs: readonly SignInInput[], from: SignInState = beginSignIn('openai-codex')): SignInState {
  return inputs.reduce(signInStep, from);
}

const URL_TOLD: SignInInput = {
  kind: 'progress',
  state: 'authorization_url',
  url: URL_MADE_UP,
  notice: null,
  now: 1_000,
};
const WAITING: SignInInput = { kind: 'progress', state: 'waiting', url: null, notice: null, now: 2_000 };
const RECEIVED: SignInInput = {
  kind: 'progress',
  state: 'callback_received',
  url: null,
  notice: null,
  now: 3_000,
};

describe('a sign-in', () => {
  it('goes from the start to its end, with five minutes for the browser', () => {
    const waiting = walk([{ kind: 'started' }, URL_TOLD, WAITING]);
    expect(waiting).toMatchObject({ stage: 'waiting', url: URL_MADE_UP, deadline: 302_000, end: null });
    const received = walk([RECEIVED], waiting);
    expect(received).toMatchObject({ stage: 'callback_received', deadline: null });
    const over = walk([{ kind: 'terminal', state: 'exchange_succeeded' }], received);
    expect(over).toMatchObject({ url: null, end: { kind: 'terminal', state: 'exchange_succeeded' } });
  });

  it('gives the one answer by hand back when it was not taken', () => {
    const sending = walk([{ kind: 'started' }, URL_TOLD, WAITING, { kind: 'pasting' }]);
    expect(stageWords(sending)).toBe('checking what you pasted');
    expect(walk([{ kind: 'not-done', note: 'no' }], sending)).toMatchObject({ pasted: 'no', note: 'no' });
    const taken = walk([{ kind: 'paste-taken' }], sending);
    expect(walk([{ kind: 'not-done', note: 'no' }], taken)).toMatchObject({ pasted: 'taken', note: 'no' });
  });

  it('waits for the real end after it was cancelled, whichever that is', () => {
    const cancelling = walk([{ kind: 'started' }, URL_TOLD, { kind: 'cancelling' }]);
    expect(cancelling).toMatchObject({ cancelling: true, end: null });
    for (const state of TERMINALS)
      expect(walk([{ kind: 'terminal', state }], cancelling).end).toEqual({ kind: 'terminal', state });
  });

  it('says what became of it after the link was lost, and does not begin again', () => {
    const lost = walk([{ kind: 'started' }, URL_TOLD, { kind: 'link-lost' }]);
    expect(stageWords(lost)).toContain('looked up');
    expect(walk([{ kind: 'looked-up', found: 'signed-in' }], lost).end).toEqual({
      kind: 'looked-up',
      found: 'signed-in',
    });
  });

  it('has a sentence for every end, and a next step for every one that is no success', () => {
    for (const state of TERMINALS) {
      const { next, sentence } = endWords({ kind: 'terminal', state });
      expect(sentence).toMatch(/\.$/);
      expect(next === '').toBe(state === 'exchange_succeeded');
    }
  });

  it('never goes back, and nothing changes its end or keeps its address, whatever comes', () => {
    const inputs: fc.Arbitrary<SignInInput> = fc.oneof(
      fc.constantFrom<SignInInput>(
        { kind: 'started' },
        { kind: 'pasting' },
        { kind: 'paste-taken' },
        { kind: 'cancelling' },
        { kind: 'link-lost' },
        { kind: 'not-done', note: 'no' },
        { kind: 'looked-up', found: 'not-signed-in' },
        { kind: 'refused', sentence: 's', next: 'n' },
        URL_TOLD,
        WAITING,
        RECEIVED,
      ),
      fc.constantFrom(...TERMINALS).map((state) => ({ kind: 'terminal' as const, state })),
    );
    fc.assert(
      fc.property(fc.array(inputs), (all) => {
        let state = beginSignIn('openai-codex');
        for (const input of all) {
          const next = signInStep(state, input);
          expect(STAGES.indexOf(next.stage)).toBeGreaterThanOrEqual(STAGES.indexOf(state.stage));
          if (state.end !== null) expect(next).toBe(state);
          if (next.end !== null) expect([next.url, next.deadline]).toEqual([null, null]);
          state = next;
        }
      }),
    );
  });
});
