import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../src/transcript/blocks.ts';
import type { Envelope, SessionEvent } from '../../src/transcript/envelope.ts';
import { firstCut, lastCut } from '../../src/transcript/turn-cut.ts';

interface Told {
  readonly role: Envelope['role'];
  readonly subagent?: string;
  readonly ev: SessionEvent;
}

const which = fc.nat(2);
const told: fc.Arbitrary<(turn: string) => Told> = fc.oneof(
  fc.constant(() => ({ role: 'user', ev: { t: 'text', text: 'more', steer: true } }) as const),
  fc
    .boolean()
    .map((thinking) => () => ({ role: 'agent', ev: { t: 'text', text: 'said', thinking } }) as const),
  fc.tuple(which, fc.option(which)).map(
    ([call, agent]) =>
      (turn: string): Told => ({
        role: 'agent',
        ...(agent === null ? {} : { subagent: `${turn}a${agent}` }),
        ev: {
          t: 'tool-call-start',
          call: `${turn}c${call}`,
          name: 'task',
          title: 'do',
          description: '',
          args: {},
        },
      }),
  ),
  which.map(
    (call) =>
      (turn: string): Told => ({
        role: 'agent',
        ev: { t: 'tool-call-end', call: `${turn}c${call}`, status: 'ok', output: 'done' },
      }),
  ),
  which.map(
    (agent) =>
      (turn: string): Told => ({
        role: 'agent',
        ev: { t: 'subagent-start', agentId: `${turn}a${agent}`, title: 'do' },
      }),
  ),
  which.map(
    (agent) =>
      (turn: string): Told => ({
        role: 'agent',
        ev: { t: 'subagent-stop', agentId: `${turn}a${agent}` },
      }),
  ),
  fc.constant(() => ({ role: 'agent', ev: { t: 'service', text: 'a notice', kind: 'notice' } }) as const),
);
const end: fc.Arbitrary<Told[]> = fc.oneof(
  fc
    .constantFrom('completed' as const, 'cancelled' as const)
    .map((status): Told[] => [{ role: 'agent', ev: { t: 'turn-end', status } }]),
  fc.constant<Told[]>([]),
);
const session = fc.array(fc.tuple(fc.array(told, { maxLength: 8 }), end), { maxLength: 6 }).map((turns) => {
  const all: Envelope[] = [];
  turns.forEach(([middle, over], number) => {
    const turn = `t${number}`;
    const asked: Told = { role: 'user', ev: { t: 'text', text: 'ask' } };
    for (const one of [asked, ...middle.map((make) => make(turn)), ...over])
      all.push({ id: `e${all.length}`, time: 1_000 + all.length, turn, ...one });
  });
  return all;
});

test('folding the parts on both sides of a cut gives what folding everything gives', () => {
  fc.assert(
    fc.property(session, (envelopes) => {
      const whole = fold([], envelopes);
      for (const cut of [firstCut(envelopes), lastCut(envelopes)])
        if (cut !== null)
          expect([...fold([], envelopes.slice(0, cut)), ...fold([], envelopes.slice(cut))]).toEqual(whole);
    }),
    { numRuns: 400 },
  );
});

test('a cut is behind the end of a turn, and nowhere where no turn ends', () => {
  const [said, over] = [
    { id: 'a', time: 1, role: 'agent', turn: 't', ev: { t: 'text', text: 'said' } },
    { id: 'b', time: 2, role: 'agent', turn: 't', ev: { t: 'turn-end', status: 'completed' } },
  ] as const;
  expect([firstCut([said]), lastCut([said])]).toEqual([null, null]);
  expect([firstCut([said, over, said, over, said]), lastCut([said, over, said, over, said])]).toEqual([2, 4]);
});
