/** The two lines before any record (lifecycle: "Handshake"). */
import { INITIALIZE } from '../../interop/raw-peer.ts';
import { ABSENT } from '../compare.ts';
import { moreEntries } from '../differences.ts';
import { SHORT } from '../model.ts';
import type { Script, Step } from '../script.ts';
import {
  ask,
  bytes,
  close,
  connect,
  controlled,
  ends,
  greet,
  hear,
  hello,
  helloText,
  pause,
  send,
  settle,
  start,
  welcome,
} from '../steps.ts';

type Good = Readonly<Record<string, string>>;

/** A hello that is the only thing said, and how the service ends the socket. */
function said(name: string, ...steps: readonly Step[]): Script {
  return { name, steps: [connect(), ...steps, ends()] };
}

const changed = (name: string, changes: Readonly<Record<string, string | undefined>>): Script =>
  said(name, hello(changes));
const written = (name: string, text: (good: Good) => string): Script => said(name, helloText(text));

/** A good hello whose action is `status`, of exactly so many bytes before its LF. */
function padded(good: Good, size: number): string {
  const line = JSON.stringify({ ...good, action: 'status' });
  return `${line}${' '.repeat(size - Buffer.byteLength(line))}\n`;
}

const status = (good: Good): Good => ({ ...good, action: 'status' });
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const reversed = (good: Good): Good => Object.fromEntries(Object.entries(good).toReversed());

const closed: readonly Script[] = [
  said('garbage', bytes('hello?\n')),
  said('an empty line', bytes('\n')),
  said('an array', bytes('[]\n')),
  said('null', bytes('null\n')),
  ...['version', 'workspace', 'state_root', 'action'].flatMap((member) => [
    changed(`${member} is missing`, { [member]: undefined }),
    written(`${member} is null`, (good) => line({ ...good, [member]: null })),
    written(`${member} is a number`, (good) => line({ ...good, [member]: 1 })),
    changed(`${member} is empty`, { [member]: '' }),
  ]),
  changed('a further member', { colour: 'red' }),
  changed('an unknown action', { action: 'dance' }),
  changed('an action in capitals', { action: 'STATUS' }),
  changed('a relative workspace', { workspace: 'project', action: 'status' }),
  changed('another workspace', { workspace: '/', action: 'status' }),
  changed('another state root', { state_root: '/', action: 'status' }),
  written('workspace and state root exchanged', (good) =>
    line({ ...status(good), workspace: good.state_root, state_root: good.workspace }),
  ),
  written('another workspace and another version', (good) =>
    line({ ...status(good), workspace: '/', version: '9.9.9' }),
  ),
  written('a member twice', (good) => line(status(good)).replace('{', '{"action":"status",')),
  written('a member twice, once escaped', (good) =>
    line(status(good)).replace('{', '{"\\u0061ction":"status",'),
  ),
  written('a byte order mark', (good) => `\ufeff${line(status(good))}`),
  written('a lone surrogate', (good) => line(status(good)).replace('status', '\\ud800')),
  written('two values in one line', (good) => line(status(good)).replace('\n', ' {}\n')),
  said('invalid UTF-8', bytes(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]))),
  written('4097 bytes', (good) => padded(good, 4_097)),
  said('4097 bytes without a line feed', bytes('x'.repeat(4_097))),
];

const answered: readonly Script[] = [
  changed('status', { action: 'status' }),
  changed('another version', { version: '0.80.1', action: 'status' }),
  changed('another version, to connect', { version: '0.80.1' }),
  changed('another version, to stop', { version: '0.80.1', action: 'stop' }),
  changed('another version, to dance', { version: '0.80.1', action: 'dance' }),
  changed('a version with a blank', { version: '0.80.2 ', action: 'status' }),
  written('other member order', (good) => line(reversed(status(good)))),
  written(
    'blanks between members',
    (good) => `${JSON.stringify(status(good), null, 1).replaceAll('\n', ' ')}\n`,
  ),
  written('a CR before the LF', (good) => line(status(good)).replace('\n', '\r\n')),
  written('escapes in a value', (good) => line(status(good)).replace('"status"', '"\\u0073tatus"')),
  written('escapes in a name', (good) => line(status(good)).replace('"action"', '"\\u0061ction"')),
  written('4096 bytes', (good) => padded(good, 4_096)),
  written('a slash at the end of a path', (good) =>
    line({ ...status(good), workspace: `${good.workspace}/` }),
  ),
  written('/. at the end of a path', (good) => line({ ...status(good), state_root: `${good.state_root}/.` })),
  written('two slashes within a path', (good) =>
    line({ ...status(good), workspace: `${good.workspace}`.replace('/project', '//project') }),
  ),
  written('.. in a path', (good) => line({ ...status(good), workspace: `${good.workspace}/x/..` })),
  written('status, and more behind it', (good) => `${line(status(good))}${line(status(good))}`),
];

export const HANDSHAKE: readonly Script[] = [
  ...closed,
  ...answered,
  {
    name: 'a hello that is an array of its members',
    differences: [{ row: 'arrays instead of objects', at: 'a[0]', ours: ABSENT }],
    steps: [connect(), helloText((good) => line(Object.values(status(good)))), ends()],
  },
  {
    name: 'a hello byte by byte',
    steps: [
      connect(),
      helloText((good) => line(status(good)).slice(0, 20)),
      helloText((good) => line(status(good)).slice(20, 21)),
      helloText((good) => line(status(good)).slice(21)),
      ends(),
    ],
  },
  {
    name: 'initialize right behind the hello',
    differences: moreEntries('a[1]'),
    steps: [connect(), hello(), send('initialize', INITIALIZE), settle()],
  },
  {
    name: 'hello and initialize in one write',
    differences: moreEntries('a[1]'),
    steps: [
      connect(),
      helloText((good) => {
        const slots = { instance_id: null, connection_id: null, session_id: null, operation_id: null };
        const head = { protocol_version: 2, kind: 'request', request_id: 'first', ...slots, control: null };
        return `${line(good)}${line({ ...head, method: 'initialize', payload: INITIALIZE })}`;
      }),
      bytes('', 1),
      settle(),
    ],
  },
  { name: 'a second hello on a connection', steps: [greet(), helloText(line), bytes('', 1), settle()] },
  {
    name: 'stop while a connection is not initialized',
    steps: [greet('b'), connect(), hello({ action: 'stop' }), ends()],
  },
  {
    name: 'stop while a client is connected; it goes on',
    steps: [
      welcome('b'),
      connect(),
      hello({ action: 'stop' }),
      ends(),
      ...ask('session.active', {}, {}, 'b'),
    ],
  },
  {
    name: 'stop when idle ends the service',
    alone: true,
    steps: [connect(), hello({ action: 'stop' }), ends()],
  },
  {
    name: 'stop after the last client left',
    alone: true,
    steps: [welcome('b'), close('b'), pause(100), connect(), hello({ action: 'stop' }), ends()],
  },
  {
    name: 'stop while a turn runs that nobody hears',
    alone: true,
    steps: [
      ...controlled(),
      ...start(SHORT),
      hear('turn.assistant_delta'),
      close(),
      pause(100),
      connect('z'),
      hello({ action: 'stop' }, 'z'),
      ends('z'),
    ],
  },
];
