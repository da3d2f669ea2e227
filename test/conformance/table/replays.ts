/** `session.replay`: pages, cursors, bounds (service guide: "Durable replay"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script, Step } from '../script.ts';
import { ask, cancel, controlled, create, hear, start, turn, welcome } from '../steps.ts';

const replay = (payload: Json = {}, keep = {}, session = '$session'): Step[] =>
  ask('session.replay', payload, { session_id: session }, 'a', keep);

const bad: readonly (readonly [name: string, payload: Json])[] = [
  ['limit 0', { limit: 0 }],
  ['limit 33', { limit: 33 }],
  ['limit -1', { limit: -1 }],
  ['limit a fraction', { limit: 2.5 }],
  ['limit a string', { limit: '2' }],
  ['limit null', { limit: null }],
  ['limit 2^53', { limit: 2 ** 53 }],
  ['after a number', { after: 1 }],
  ['after empty', { after: '' }],
  ['after foreign', { after: 'nowhere' }],
  ['after of 128 bytes', { after: 'a'.repeat(128) }],
  ['after of 129 bytes', { after: 'a'.repeat(129) }],
  ['after like a cursor', { after: `r1_0_${'0'.repeat(64)}` }],
  ['after of a far place', { after: `r1_99_${'0'.repeat(64)}` }],
  ['after foreign and limit 0', { after: 'nowhere', limit: 0 }],
  ['a further member', { colour: 'red' }],
];

export const REPLAYS: readonly Script[] = [
  {
    name: 'of an empty session',
    steps: [welcome(), ...create(), ...replay(), ...replay({ after: null, limit: 32 })],
  },
  {
    name: 'on from the end of an empty session',
    steps: [welcome(), ...create(), ...replay({}, { here: 'next_cursor' }), ...replay({ after: '$here' })],
  },
  ...bad.map(([name, payload]) => ({
    name: `with ${name}`,
    steps: [...controlled(), ...turn('hello'), ...replay(payload)],
  })),
  ...bad.slice(0, 7).map(([name, payload]) => ({
    name: `of no session with ${name}`,
    steps: [welcome(), ...replay(payload, {}, 'no-such-session'), ...replay(payload, {}, 'not/a/name')],
  })),
  {
    name: 'of a turn, event by event, and on from the end',
    steps: [
      ...controlled(),
      ...turn('hello'),
      ...replay({ limit: 1 }, { here: 'next_cursor' }),
      ...replay({ limit: 1, after: '$here' }, { here: 'next_cursor' }),
      ...replay({ limit: 1, after: '$here' }, { here: 'next_cursor' }),
      ...replay({ after: '$here' }, { end: 'next_cursor' }),
      ...turn('again', 'start2', 2),
      ...replay({ after: '$end' }),
      ...replay(),
    ],
  },
  {
    name: 'with the cursor of another session',
    steps: [
      ...controlled(),
      ...turn('hello'),
      ...replay({ limit: 1 }, { here: 'next_cursor' }),
      ...create('a', 'other'),
      ...replay({ after: '$here' }, {}, '$other'),
    ],
  },
  { name: 'of a turn with a tool', steps: [...controlled(), ...turn('use a tool'), ...replay()] },
  {
    name: 'of a long answer: parts',
    steps: [
      ...controlled(),
      ...turn('say a lot'),
      ...replay({}, { here: 'next_cursor' }),
      ...replay({ after: '$here' }),
    ],
  },
  {
    name: 'of a long question: parts between letters',
    steps: [...controlled(), ...turn(`x${'é'.repeat(2_000)}`), ...replay()],
  },
  {
    name: 'of a cancelled turn',
    steps: [
      ...controlled(),
      ...start('speak for a second'),
      hear('turn.assistant_delta'),
      ...cancel(),
      hear('turn.terminal'),
      ...ask('session.replay', { limit: 1 }, { session_id: '$session' }),
    ],
  },
  {
    name: 'by somebody who controls nothing',
    steps: [
      ...controlled(),
      ...turn('hello'),
      welcome('b'),
      ...ask('session.replay', {}, { session_id: '$session' }, 'b'),
    ],
  },
];
