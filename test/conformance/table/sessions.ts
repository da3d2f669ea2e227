/** Sessions: list, create, claim, active, detach (lifecycle: "Operations", "Claim, grants, live_sequence"). */
import type { Json } from '../../../src/wire/json.ts';
import { SLOWLY } from '../model.ts';
import type { Script, Step } from '../script.ts';
import {
  ask,
  beside,
  claim,
  close,
  controlled,
  create,
  hear,
  held,
  insist,
  lookup,
  refusedWith,
  send,
  settle,
  turn,
  welcome,
  world,
} from '../steps.ts';

const many = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) => create('a', `s${index}`)).flat();

const pages: readonly (readonly [name: string, payload: Json])[] = [
  ['limit 0', { limit: 0 }],
  ['limit 33', { limit: 33 }],
  ['limit -1', { limit: -1 }],
  ['limit a fraction', { limit: 1.5 }],
  ['limit a string', { limit: '1' }],
  ['limit null', { limit: null }],
  ['limit 2^53', { limit: 2 ** 53 }],
  ['after a number', { after: 1 }],
  ['after empty', { after: '' }],
  ['after of 129 bytes', { after: 'a'.repeat(129) }],
  ['after malformed', { after: 'not/a/name' }],
  ['after malformed and limit 0', { after: 'not/a/name', limit: 0 }],
  ['a further member', { colour: 'red' }],
  ['a member of another profile', { archived: true }],
];

/** IDs that sessions cannot have, and one that none has. */
const ids = ['no-such-session', 'not/a/name', '..', 'ä', 'a b', 'A_b-9', 'a'.repeat(128)];

export const SESSIONS: readonly Script[] = [
  { name: 'a list of nothing', alone: true, steps: [welcome(), ...ask('session.list')] },
  ...pages.map(([name, payload]) => ({
    name: `a list with ${name}`,
    steps: [welcome(), ...ask('session.list', payload)],
  })),
  {
    name: 'a list after nothing, after a last ID, and in full',
    alone: true,
    steps: [
      welcome(),
      ...ask('session.list', { after: null }),
      ...ask('session.list', { after: 'z'.repeat(128) }),
      ...ask('session.list', { limit: 32, after: 'a' }),
    ],
  },
  {
    name: 'a list in pages',
    alone: true,
    // The order of IDs is random, so only one session is named.
    steps: [
      welcome(),
      ...create(),
      ...ask('session.list', { limit: 1 }),
      ...ask('session.list', { after: '$session', limit: 1 }),
    ],
  },
  {
    name: 'who holds it is in the list',
    alone: true,
    steps: [
      ...controlled(),
      ...ask('session.list'),
      ...ask('session.detach', {}, held('d')),
      ...ask('session.list'),
    ],
  },
  {
    name: 'create twice',
    steps: [welcome(), ...create('a', 'one'), ...create('a', 'two'), ...lookup('create-one')],
  },
  {
    name: 'create with a member',
    steps: [welcome(), ...ask('session.create', { title: 'x' }, { operation_id: '$op.c' }), ...lookup('c')],
  },
  {
    name: 'claim, active, detach, active',
    alone: true,
    steps: [
      welcome(),
      ...ask('session.active'),
      ...create(),
      ...ask('session.active'),
      ...claim(),
      ...ask('session.active'),
      ...ask('session.detach', {}, held('d')),
      ...ask('session.active'),
      ...claim('a', 'session', 'again'),
      ...lookup('claim-session'),
      ...lookup('d'),
    ],
  },
  {
    name: 'a claim by its own controller',
    steps: [...controlled(), ...claim('a', 'session', 'again'), ...lookup('again')],
  },
  {
    name: 'a claim by somebody else, before and after a detach',
    steps: [
      ...controlled(),
      welcome('b'),
      ...claim('b', 'session', 'b1'),
      ...ask('session.detach', {}, held('d')),
      ...claim('b', 'session', 'b2'),
      ...claim('a', 'session', 'a2'),
    ],
  },
  {
    name: 'a claim after the controller left',
    steps: [
      ...controlled(),
      welcome('b'),
      close('a'),
      insist(claim('b', 'session', 'b'), (answer) => !refusedWith('session_controlled')(answer), 'b'),
      ...ask('session.detach', {}, held('d'), 'b'),
    ],
  },
  {
    name: 'a claim with a member',
    steps: [
      welcome(),
      ...create(),
      ...ask('session.claim', { force: true }, { operation_id: '$op.c', session_id: '$session' }),
      ...lookup('c'),
    ],
  },
  ...ids.map((id) => ({
    name: `claim and replay of ${JSON.stringify(id.slice(0, 20))}`,
    steps: [
      welcome(),
      ...ask('session.claim', {}, { operation_id: '$op.c', session_id: id }),
      ...lookup('c'),
      ...ask('session.replay', {}, { session_id: id }),
    ],
  })),
  {
    name: 'a detach with a member',
    steps: [
      ...controlled(),
      ...ask('session.detach', { colour: 'red' }, held('d')),
      ...ask('session.active'),
      ...lookup('d'),
    ],
  },
  {
    name: 'two claims in one write: one wins',
    steps: [
      welcome(),
      ...create(),
      send('session.claim', {}, { operation_id: '$op.first', session_id: '$session' }),
      send('session.claim', {}, { operation_id: '$op.second', session_id: '$session' }),
      settle(),
    ],
  },
  {
    name: 'claim and detach in one write',
    steps: [
      ...controlled(),
      send('session.detach', {}, held('d')),
      send('session.claim', {}, { operation_id: '$op.again', session_id: '$session' }),
      send('session.active'),
      settle(),
    ],
  },
  {
    name: 'sixteen are held: no claim, no create, but replay',
    alone: true,
    steps: [
      welcome(),
      ...create(),
      ...many(16),
      ...Array.from({ length: 16 }, (_, index) => claim('a', `s${index}`)).flat(),
      ...ask('session.claim', {}, { operation_id: '$op.17', session_id: '$session' }),
      ...ask('session.create', {}, { operation_id: '$op.more' }),
      ...lookup('17'),
      ...lookup('more'),
      ...ask('session.replay', {}, { session_id: '$session' }),
    ],
  },
  {
    name: 'active tells of a turn',
    alone: true,
    steps: [
      ...controlled(),
      ...ask('turn.start', { prompt: SLOWLY }, held('start'), 'a', { turn: 'turn_id' }),
      hear('turn.assistant_delta'),
      ...ask('session.active'),
      ...ask('session.detach', {}, held('d')),
      ...ask('session.active'),
    ],
  },
  {
    name: 'a title after a turn',
    alone: true,
    steps: [...controlled(), ...turn('hello'), ...ask('session.list')],
  },
  {
    name: 'sessions that cannot be written',
    alone: true,
    steps: [
      welcome(),
      ...create(),
      world((around) => around.loseSessions()),
      ...ask('session.list'),
      ...ask('session.create', {}, { operation_id: '$op.lost' }),
      ...lookup('lost'),
      ...ask('session.claim', {}, { operation_id: '$op.c', session_id: '$session' }),
      ...ask('session.replay', {}, { session_id: '$session' }),
    ],
  },
  {
    name: 'a session that another service holds',
    alone: true,
    steps: [
      ...controlled(),
      ...turn('hello'),
      beside(),
      ...ask('session.list', {}, {}, 'b'),
      ...ask('session.active', {}, {}, 'b'),
      ...claim('b', 'session', 'b1'),
      ...lookup('b1', 'b'),
      ...ask('session.replay', {}, { session_id: '$session' }, 'b'),
      ...ask('session.detach', {}, held('d')),
      ...ask('session.list', {}, {}, 'b'),
      ...claim('b', 'session', 'b2'),
      ...claim('a', 'session', 'a2'),
    ],
  },
];
