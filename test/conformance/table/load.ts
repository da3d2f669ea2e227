/** How much at once, and how long (lifecycle: "Ordering, queues, timers"). */
import type { Script } from '../script.ts';
import {
  ask,
  burst,
  bytes,
  close,
  connect,
  ends,
  finish,
  greet,
  hello,
  pause,
  send,
  settle,
  welcome,
} from '../steps.ts';

const letters = Array.from({ length: 15 }, (_, index) => `c${index}`);

export const LOAD: readonly Script[] = [
  {
    name: 'more than 32 requests in one write',
    only: 'end',
    steps: [welcome(), burst('session.active', 60, 60), settle()],
  },
  { name: '32 requests in one write', steps: [welcome(), burst('session.active', 32, 32), settle()] },
  {
    name: '20 requests in one write, then more',
    steps: [welcome(), burst('session.active', 20, 20), settle(), ...ask('session.active')],
  },
  {
    name: 'a half-closed socket is closed',
    steps: [welcome(), ...ask('session.active'), finish(), ends()],
  },
  { name: 'a half-closed socket before hello is closed', steps: [connect(), finish(), ends()] },
  {
    name: 'the 17th connection is greeted and closed; there is room when another one ends',
    alone: true,
    steps: [
      welcome(),
      ...letters.map((letter) => greet(letter)),
      connect('z'),
      hello({}, 'z'),
      ends('z'),
      close('c1'),
      pause(100),
      welcome('y'),
      ...ask('session.active', {}, {}, 'y'),
    ],
  },
  {
    name: 'the 33rd socket is closed unheard',
    alone: true,
    steps: [
      ...Array.from({ length: 32 }, (_, index) => connect(`s${index}`)),
      pause(100),
      connect('z'),
      ends('z'),
    ],
  },
  {
    name: 'synchronous answers keep their order',
    steps: [
      welcome(),
      send('session.active'),
      send('capabilities', { a: 1 }),
      send('teleport'),
      send('session.active'),
      settle(),
    ],
  },
  {
    name: 'an error and a result in one write',
    steps: [welcome(), bytes('{\n{"request_id":"x"}\n', 2), settle(), ...ask('session.active')],
  },
];

/** Each takes the protocol's 5 s: they are run side by side. */
export const DEADLINES: readonly Script[] = [
  { name: 'no hello', steps: [connect(), ends()] },
  { name: 'half a hello', steps: [connect(), bytes('{"version"'), ends()] },
  { name: 'no initialize', steps: [greet(), ends()] },
  {
    name: 'no good initialize',
    steps: [greet(), ...ask('initialize', {}), pause(1_000), ...ask('initialize', {}), ends()],
  },
  { name: 'half a record', steps: [welcome(), bytes('{"request_id"'), ends()] },
  {
    name: 'half a record, then another half',
    steps: [welcome(), bytes('{"a":'), pause(3_000), bytes('1'), ends()],
  },
  { name: 'nothing at all, and still there', steps: [welcome(), pause(6_000), ...ask('session.active')] },
];
