/** Every slot of a request: missing, null, mistyped, too long, unknown (lifecycle: "Request"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script } from '../script.ts';
import { ask, askLine, welcome } from '../steps.ts';

type Slots = Readonly<Record<string, Json | undefined>>;

const SLOTS = [
  'protocol_version',
  'kind',
  'request_id',
  'instance_id',
  'connection_id',
  'session_id',
  'operation_id',
  'control',
  'method',
  'payload',
];
const ID_SLOTS = SLOTS.filter((slot) => slot.endsWith('_id'));
const LONG = 'é'.repeat(64);

/** A read with these slots, and a good read behind it. */
function read(name: string, slots: Slots, method: Json = 'session.active'): Script {
  return { name, steps: [welcome(), ...ask(method, {}, slots), ...ask('session.active')] };
}

const control = (value: Json): Slots => ({ operation_id: '$op.x', session_id: 's', control: value });
/** A detach with that control: bad ones are told from the envelope, good ones are stale. */
function detach(name: string, value: Json): Script {
  return { name: `control: ${name}`, steps: [welcome(), ...ask('session.detach', {}, control(value))] };
}

const controls: readonly (readonly [name: string, value: Json])[] = [
  ['an empty object', {}],
  ['a string', 'g'],
  ['true', true],
  ['an array of strings', ['g', '1']],
  ['without a grant', { generation: 1 }],
  ['without a generation', { grant_id: 'g' }],
  ['grant null', { grant_id: null, generation: 1 }],
  ['grant a number', { grant_id: 1, generation: 1 }],
  ['generation null', { grant_id: 'g', generation: null }],
  ['generation a string', { grant_id: 'g', generation: '1' }],
  ['generation a fraction', { grant_id: 'g', generation: 1.5 }],
  ['generation negative', { grant_id: 'g', generation: -1 }],
  ['generation 0', { grant_id: 'g', generation: 0 }],
  ['generation 2^53', { grant_id: 'g', generation: 2 ** 53 }],
  ['generation 2^53 - 1', { grant_id: 'g', generation: 2 ** 53 - 1 }],
  ['a further member', { grant_id: 'g', generation: 1, colour: 'red' }],
  ['an empty grant', { grant_id: '', generation: 1 }],
  ['a grant of 129 bytes', { grant_id: `${LONG}x`, generation: 1 }],
  ['a grant of 128 bytes', { grant_id: LONG, generation: 1 }],
  ['good, and of nobody', { grant_id: 'g', generation: 1 }],
];

export const ENVELOPES: readonly Script[] = [
  ...SLOTS.map((slot) => read(`${slot} is missing`, { [slot]: undefined })),
  ...SLOTS.map((slot) => read(`${slot} is null`, { [slot]: null })),
  ...SLOTS.filter((slot) => slot !== 'payload').map((slot) => read(`${slot} is true`, { [slot]: true })),
  ...SLOTS.filter((slot) => slot !== 'protocol_version' && slot !== 'payload').map((slot) =>
    read(`${slot} is a number`, { [slot]: 7 }),
  ),
  ...SLOTS.map((slot) => read(`${slot} is an object`, { [slot]: { a: 1 } })),
  ...ID_SLOTS.map((slot) => read(`${slot} is empty`, { [slot]: '' })),
  ...ID_SLOTS.map((slot) => read(`${slot} has 129 bytes`, { [slot]: `${LONG}x` })),
  ...ID_SLOTS.map((slot) => read(`${slot} has 128 bytes`, { [slot]: LONG })),
  ...ID_SLOTS.map((slot) => read(`${slot} has control characters`, { [slot]: 'a\u0000\u001b\n' })),
  ...[0, 1, 3, 65_535, 65_536, -1, 2.5, '2'].map((version) =>
    read(`protocol_version ${JSON.stringify(version)}`, { protocol_version: version }),
  ),
  ...['event', 'response', 'Request', ''].map((kind) => read(`kind ${JSON.stringify(kind)}`, { kind })),
  ...['', 'm'.repeat(64), 'm'.repeat(65), 'session.open', 'session.close', 'Status', 'status '].map(
    (method) =>
      read(`method ${method.length > 20 ? `of ${method.length} bytes` : JSON.stringify(method)}`, {}, method),
  ),
  read('a further slot', { colour: 'red' }),
  read('two slots too many, one too few', { colour: 'red', shape: 'round', control: undefined }),
  read('another kind and another version', { kind: 'event', protocol_version: 3 }),
  ...controls.map(([name, value]) => detach(name, value)),
  {
    name: 'control on a read',
    steps: [welcome(), ...ask('session.active', {}, { control: { grant_id: 'g', generation: 1 } })],
  },
  ...(['0', '1e400', '18446744073709551616'] as const).map((generation) => ({
    name: `control: generation written ${generation}`,
    steps: [
      welcome(),
      ...askLine(
        'session.detach',
        {},
        (record) => JSON.stringify(record).replace('"generation":1', `"generation":${generation}`),
        control({ grant_id: 'g', generation: 1 }),
      ),
    ],
  })),
  ...(['0x2', '02', '+2'] as const).map((version) => ({
    name: `protocol_version written ${version}`,
    steps: [
      welcome(),
      ...askLine('session.active', {}, (record) =>
        JSON.stringify(record).replace('"protocol_version":2', `"protocol_version":${version}`),
      ),
    ],
  })),
];
