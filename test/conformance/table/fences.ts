/** Which refusal comes first, and the fences of instance, connection and grant (lifecycle: "Errors"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script } from '../script.ts';
import {
  ask,
  CONTROL,
  controlled,
  create,
  greet,
  held,
  lookup,
  pause,
  send,
  settle,
  start,
  welcome,
} from '../steps.ts';

const LONG = 'x'.repeat(129);
const BIG: Json = { a: 'x'.repeat(16_384), b: 'x'.repeat(16_384) };
const DEEP: Json = { a: Array.from({ length: 65 }, () => 0) };
const OTHER = '00000000-0000-4000-8000-000000000000';

type Row = readonly [
  name: string,
  method: string,
  payload: Json,
  slots: Readonly<Record<string, Json | undefined>>,
];

/** Two or more mistakes in one record: the first check of the ladder counts. */
const ladder: readonly Row[] = [
  ['a missing slot and another version', 'status', {}, { kind: undefined, protocol_version: 3 }],
  ['another version and a long ID', 'status', {}, { protocol_version: 3, session_id: LONG }],
  ['another version and a payload out of bounds', 'status', DEEP, { protocol_version: 3 }],
  ['another kind and a payload out of bounds', 'status', DEEP, { kind: 'event' }],
  ['a long method and a payload out of bounds', 'm'.repeat(65), DEEP, {}],
  [
    'a structure out of bounds and too many bytes',
    'status',
    { ...(BIG as object), c: (DEEP as { a: Json }).a },
    {},
  ],
  ['too many bytes and an unknown method', 'teleport', BIG, {}],
  ['a structure out of bounds and an unknown method', 'teleport', DEEP, {}],
  ['an unknown method and wrong slots', 'teleport', {}, { operation_id: '$op.x', session_id: 's' }],
  ['an unknown method of another instance', 'teleport', {}, { instance_id: OTHER }],
  ['wrong slots and a stale instance', 'status', {}, { operation_id: '$op.x', instance_id: OTHER }],
  [
    'a generation of 0 and a stale instance',
    'session.detach',
    {},
    {
      operation_id: '$op.x',
      session_id: 's',
      control: { grant_id: 'g', generation: 0 },
      instance_id: OTHER,
    },
  ],
  [
    'a blank prompt and a stale instance',
    'turn.start',
    { prompt: ' ' },
    {
      operation_id: '$op.x',
      session_id: 's',
      control: { grant_id: 'g', generation: 1 },
      instance_id: OTHER,
    },
  ],
  [
    'a side question and a stale instance',
    'turn.start',
    { prompt: '/side' },
    {
      operation_id: '$op.x',
      session_id: 's',
      control: { grant_id: 'g', generation: 1 },
      instance_id: OTHER,
    },
  ],
  ['a stale instance and a stale connection', 'status', {}, { instance_id: OTHER, connection_id: OTHER }],
  ['a stale instance and a bad payload', 'status', { colour: 'red' }, { instance_id: OTHER }],
  ['a stale connection and a bad payload', 'status', { colour: 'red' }, { connection_id: OTHER }],
  ['no instance', 'session.active', {}, { instance_id: null }],
  ['no connection', 'session.active', {}, { connection_id: null }],
  [
    'instance and connection exchanged',
    'session.active',
    {},
    { instance_id: '$a.connection', connection_id: '$a.instance' },
  ],
  ['the instance in capitals', 'session.active', {}, { instance_id: OTHER.toUpperCase() }],
];

export const FENCES: readonly Script[] = [
  ...ladder.map(([name, method, payload, slots]) => ({
    name,
    steps: [welcome(), ...ask(method, payload, slots)],
  })),
  ...ladder.slice(0, 15).map(([name, method, payload, slots]) => ({
    name: `${name}, before initialize`,
    steps: [greet(), ...ask(method, payload, slots)],
  })),
  {
    name: 'the connection of somebody else',
    steps: [welcome(), welcome('b'), ...ask('session.active', {}, { connection_id: '$b.connection' })],
  },
  {
    name: 'a stale mutation uses no operation ID up',
    steps: [
      welcome(),
      ...ask('session.create', {}, { operation_id: '$op.one', instance_id: OTHER }),
      ...ask('session.create', {}, { operation_id: '$op.one', connection_id: OTHER }),
      ...lookup('one'),
      ...ask('session.create', {}, { operation_id: '$op.one' }),
    ],
  },
  {
    name: 'a request ID twice while the first is open',
    unordered: true,
    steps: [welcome(), ...ask('status'), pause(20), ...twice('{}')],
  },
  {
    name: 'a request ID again after its answer',
    steps: [
      welcome(),
      ...ask('session.active', {}, { request_id: 'same' }),
      pause(20),
      ...ask('session.active', {}, { request_id: 'same' }),
    ],
  },
  {
    name: 'a request ID on two connections',
    steps: [
      welcome(),
      welcome('b'),
      send('status', {}, { request_id: 'same' }),
      ...ask('session.active', {}, { request_id: 'same' }, 'b'),
      settle(),
    ],
  },
  ...staleGrants(),
];

/** One write: the second is read while the first is open. */
function twice(_payload: string) {
  return [
    {
      do: 'send' as const,
      on: 'a',
      method: 'status',
      payload: {},
      slots: { request_id: 'same' },
      line: (record: object) =>
        `${JSON.stringify(record)}\n${JSON.stringify(record)}\n${JSON.stringify({ request_id: 'same' })}`,
    },
    { do: 'bytes' as const, on: 'a', bytes: '', answers: 2 },
    settle(),
  ];
}

function staleGrants(): Script[] {
  const changes: readonly (readonly [name: string, control: Readonly<Record<string, Json>>])[] = [
    ['another grant', { ...CONTROL, grant_id: OTHER }],
    ['another generation', { ...CONTROL, generation: 9_007_199_254_740_991 }],
  ];
  return [
    ...changes.flatMap(([name, control]) => [
      {
        name: `detach with ${name}`,
        steps: [
          ...controlled(),
          ...ask('session.detach', {}, held('d', { control })),
          ...lookup('d'),
          ...ask('session.active'),
        ],
      },
      {
        name: `start with ${name}`,
        steps: [
          ...controlled(),
          ...ask('turn.start', { prompt: 'hello' }, held('s', { control })),
          ...lookup('s'),
        ],
      },
      {
        name: `cancel with ${name}`,
        steps: [
          ...controlled(),
          ...ask('turn.cancel', { turn_id: 't' }, held('c', { control })),
          ...lookup('c'),
        ],
      },
    ]),
    {
      name: 'a stale grant and a bad payload',
      steps: [
        ...controlled(),
        ...ask('session.detach', { colour: 'red' }, held('d', { control: { ...CONTROL, grant_id: OTHER } })),
      ],
    },
    {
      name: 'a grant that was given back',
      steps: [
        ...controlled(),
        ...ask('session.detach', {}, held('d1')),
        ...ask('session.detach', {}, held('d2')),
        ...start('hello'),
      ],
    },
    {
      name: 'a grant on another session',
      steps: [
        ...controlled(),
        ...create('a', 'other'),
        ...ask('session.detach', {}, held('d', { session_id: '$other' })),
      ],
    },
    {
      name: 'a grant on no session',
      steps: [...controlled(), ...ask('session.detach', {}, held('d', { session_id: 'no/session' }))],
    },
    {
      name: 'a grant on another connection',
      steps: [
        ...controlled(),
        welcome('b'),
        ...ask('session.detach', {}, held('d'), 'b'),
        ...ask('session.active'),
      ],
    },
  ];
}
