/** Operation IDs and what is told of them later (lifecycle: "Operation identity and operation.lookup"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script } from '../script.ts';
import { ask, claim, controlled, create, held, lookup, send, settle, start, welcome } from '../steps.ts';

const lookups: readonly (readonly [name: string, payload: Json])[] = [
  ['no members', {}],
  ['no instance', { operation_id: 'o' }],
  ['no operation', { target_instance_id: 'i' }],
  ['an empty instance', { target_instance_id: '', operation_id: 'o' }],
  ['an empty operation', { target_instance_id: 'i', operation_id: '' }],
  ['a long instance', { target_instance_id: 'x'.repeat(129), operation_id: 'o' }],
  ['a long operation', { target_instance_id: 'i', operation_id: 'x'.repeat(129) }],
  ['128 bytes each', { target_instance_id: 'x'.repeat(128), operation_id: 'x'.repeat(128) }],
  ['an operation that is null', { target_instance_id: 'i', operation_id: null }],
  ['an instance that is null', { target_instance_id: null, operation_id: 'o' }],
  ['an instance that is a number', { target_instance_id: 1, operation_id: 'o' }],
  ['a further member', { target_instance_id: 'i', operation_id: 'o', colour: 'red' }],
  ['another instance', { target_instance_id: 'i', operation_id: 'o' }],
  ['an operation that nobody sent', { target_instance_id: '$a.instance', operation_id: 'o' }],
];

const one = { operation_id: '$op.one' };

export const OPERATION_IDS: readonly Script[] = [
  ...lookups.map(([name, payload]) => ({
    name: `lookup with ${name}`,
    steps: [welcome(), ...ask('operation.lookup', payload)],
  })),
  {
    name: 'the same again, another intent, neither changes what is known',
    steps: [
      welcome(),
      ...ask('session.create', {}, one, 'a', { session: 'session_id' }),
      ...ask('session.create', {}, one),
      ...ask('session.claim', {}, { ...one, session_id: '$session' }),
      ...ask('session.create', { colour: 'red' }, one),
      ...lookup('one'),
    ],
  },
  {
    name: 'known to all connections',
    steps: [
      welcome(),
      welcome('b'),
      ...ask('session.create', {}, one),
      ...ask('session.create', {}, one, 'b'),
      ...lookup('one', 'b'),
    ],
  },
  {
    name: 'a rejection owns its ID',
    steps: [
      welcome(),
      ...ask('session.claim', {}, { ...one, session_id: 'no-such-session' }),
      ...ask('session.claim', {}, { ...one, session_id: 'no-such-session' }),
      ...ask('session.claim', {}, { ...one, session_id: 'another' }),
      ...lookup('one'),
    ],
  },
  {
    name: 'a mistake in the slots uses none up',
    steps: [
      welcome(),
      ...ask('session.create', {}, { ...one, session_id: 's' }),
      ...lookup('one'),
      ...ask('session.create', {}, one),
    ],
  },
  {
    name: 'a mistake in the payload uses one up',
    steps: [
      welcome(),
      ...ask('session.create', { colour: 'red' }, one),
      ...lookup('one'),
      ...ask('session.create', {}, one),
    ],
  },
  {
    name: 'a payload out of bounds uses none up',
    steps: [welcome(), ...ask('session.create', { a: 'x'.repeat(16_385) }, one), ...lookup('one')],
  },
  {
    name: 'the order of members is no intent',
    steps: [
      welcome(),
      ...ask('config.set', { scope: 'galaxy', fast: true }, one),
      ...ask('config.set', { fast: true, scope: 'galaxy' }, one),
      ...ask('config.set', { scope: 'galaxy', fast: false }, one),
    ],
  },
  {
    name: 'control is no intent',
    steps: [
      ...controlled(),
      ...ask('session.detach', {}, held('one', { control: { grant_id: 'g', generation: 1 } })),
      ...ask('session.detach', {}, held('one')),
      ...ask('session.detach', {}, held('two')),
    ],
  },
  {
    name: 'the same in one write',
    steps: [welcome(), send('session.create', {}, one), send('session.create', {}, one), settle()],
  },
  {
    name: 'the same ID on two connections at once',
    steps: [
      welcome(),
      welcome('b'),
      send('session.create', {}, one),
      settle(),
      send('session.create', {}, one, 'b'),
      settle('b'),
    ],
  },
  {
    name: 'outcomes of create, claim, detach',
    steps: [
      welcome(),
      ...create(),
      ...claim(),
      ...ask('session.detach', {}, held('d')),
      ...lookup('create-session'),
      ...lookup('claim-session'),
      ...lookup('d'),
    ],
  },
  {
    name: 'a blank prompt uses none up, and the ID can still be used',
    steps: [
      ...controlled(),
      ...start(' ', 'x'),
      ...start('/side', 'x'),
      ...lookup('x'),
      ...ask('session.detach', {}, held('x')),
    ],
  },
  {
    name: 'an ID of control characters',
    steps: [
      welcome(),
      ...ask('session.create', {}, { operation_id: '\u0001 \u007f' }),
      ...ask('session.create', {}, { operation_id: '\u0001 \u007f' }),
    ],
    alone: true,
  },
  {
    name: 'lookup of an operation that was sent to another instance',
    steps: [
      welcome(),
      ...ask('session.create', {}, one),
      ...ask('operation.lookup', { target_instance_id: '$a.connection', operation_id: '$op.one' }),
    ],
  },
];
