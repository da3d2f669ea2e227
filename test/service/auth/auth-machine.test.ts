/** The states of a sign-in, without anything that happens in them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FIRST,
  type LoginEffect,
  type LoginInput,
  type LoginState,
  step,
} from '../../../src/service/auth/login-machine.ts';

const INPUTS: readonly LoginInput[] = [
  'prepared',
  'received',
  'accepted',
  'refused',
  'timed-out',
  'exchanged',
  'exchange-failed',
  'stored',
  'changed',
  'storage-failed',
  'cancelled',
  'crashed',
  'cleaned',
];

function run(inputs: readonly LoginInput[]): { state: LoginState; effects: string[] } {
  let state = FIRST;
  const effects: string[] = [];
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    effects.push(...next.effects.map(nameOf));
  }
  return { state, effects };
}

function nameOf(effect: LoginEffect): string {
  if (effect.do === 'announce') return `announce ${effect.progress}`;
  return effect.do === 'end' ? `end ${effect.outcome}` : effect.do;
}

const TO_STORING: readonly LoginInput[] = ['prepared', 'received', 'accepted', 'exchanged'];

test('the whole way', () => {
  expect(run([...TO_STORING, 'stored', 'cleaned'])).toEqual({
    state: { kind: 'over', outcome: 'exchange_succeeded' },
    effects: [
      'announce authorization_url',
      'announce waiting',
      'wait',
      'announce callback_received',
      'check',
      'announce callback_accepted',
      'exchange',
      'store',
      'clean',
      'end exchange_succeeded',
    ],
  });
});

describe('outcomes', () => {
  test.each<[string, LoginInput[]]>([
    ['callback_timeout', ['prepared', 'timed-out']],
    ['callback_failed', ['prepared', 'received', 'refused']],
    ['exchange_failed', ['prepared', 'received', 'accepted', 'exchange-failed']],
    ['auth_changed', [...TO_STORING, 'changed']],
    ['storage_failed', [...TO_STORING, 'storage-failed']],
    ['internal_error', ['crashed']],
    ['internal_error', [...TO_STORING, 'crashed']],
    ['cancelled', ['cancelled']],
    ['cancelled', ['prepared', 'cancelled']],
    ['cancelled', ['prepared', 'received', 'cancelled']],
    ['cancelled', ['prepared', 'received', 'accepted', 'cancelled']],
    ['exchange_succeeded', [...TO_STORING, 'cancelled', 'stored']],
    ['cancelled', ['cancelled', 'crashed', 'timed-out']],
  ])('%s after %j', (outcome, inputs) => {
    const { effects, state } = run([...inputs, 'cleaned']);
    expect(state).toEqual({ kind: 'over', outcome });
    expect(effects.filter((name) => name === 'clean')).toHaveLength(1);
    expect(effects.at(-1)).toBe(`end ${outcome}`);
  });

  test('come once, after the cleanup, whatever happens', () => {
    const order = ['authorization_url', 'waiting', 'callback_received', 'callback_accepted'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...INPUTS), { maxLength: 40 }), (inputs) => {
        const { effects, state } = run(inputs);
        const ends = effects.filter((name) => name.startsWith('end '));
        expect(ends).toHaveLength(state.kind === 'over' ? 1 : 0);
        if (state.kind === 'over') expect(effects.slice(-2)).toEqual(['clean', ends[0]]);
        const told = effects.filter((name) => name.startsWith('announce ')).map((name) => name.slice(9));
        expect(told).toEqual(order.slice(0, told.length));
      }),
    );
  });

  test('are final', () => {
    const { state } = run(['cancelled', 'cleaned']);
    for (const input of INPUTS) expect(step(state, input)).toEqual({ state, effects: [] });
  });
});
