/** `initialize`: its checks in their order, its result, its repetition (lifecycle: "Result"). */
import type { Json } from '../../../src/wire/json.ts';
import { INITIALIZE } from '../../interop/raw-peer.ts';
import { moreEntries } from '../differences.ts';
import type { Script } from '../script.ts';
import { ask, greet, welcome } from '../steps.ts';

const numbers = (count: number): Json => Array.from({ length: count }, (_, index) => index);
const names = (count: number, name = 'status'): Json => Array.from({ length: count }, () => name);

/** A payload, and a good one after it: a refusal does not end the connection. */
const refusals: readonly (readonly [name: string, payload: Json])[] = [
  ['no members', {}],
  ['null', null],
  ['a string', 'initialize'],
  ['a further member', { ...INITIALIZE, colour: 'red' }],
  ['versions null', { supported_protocol_versions: null }],
  ['versions a number', { supported_protocol_versions: 2 }],
  ['a version that is a string', { supported_protocol_versions: ['2'] }],
  ['a version that is a fraction', { supported_protocol_versions: [2.5] }],
  ['a negative version', { supported_protocol_versions: [-2, 2] }],
  ['a version of 17 bits', { supported_protocol_versions: [65_536, 2] }],
  ['no versions', { supported_protocol_versions: [] }],
  ['version 1 only', { supported_protocol_versions: [1] }],
  ['9 versions with 2', { supported_protocol_versions: numbers(9) }],
  ['9 versions without 2', { supported_protocol_versions: [3, 4, 5, 6, 7, 8, 9, 10, 11] }],
  ['capabilities null', { ...INITIALIZE, requested_capabilities: null }],
  ['capabilities a string', { ...INITIALIZE, requested_capabilities: 'status' }],
  ['a capability that is a number', { ...INITIALIZE, requested_capabilities: [1] }],
  ['9 capabilities', { ...INITIALIZE, requested_capabilities: names(9) }],
  ['9 unknown capabilities', { ...INITIALIZE, requested_capabilities: names(9, 'teleport') }],
  ['an unknown capability', { ...INITIALIZE, requested_capabilities: ['teleport'] }],
  ['an empty capability', { ...INITIALIZE, requested_capabilities: [''] }],
  ['an event as capability', { ...INITIALIZE, requested_capabilities: ['turn.started'] }],
  ['an activity flag as capability', { ...INITIALIZE, requested_capabilities: ['subagents'] }],
  ['a retired operation as capability', { ...INITIALIZE, requested_capabilities: ['session.open'] }],
  [
    'an unknown capability and version 1',
    { supported_protocol_versions: [1], requested_capabilities: ['x'] },
  ],
  [
    '9 versions and an unknown capability',
    { supported_protocol_versions: numbers(9), requested_capabilities: ['x'] },
  ],
];

const accepted: readonly (readonly [name: string, payload: Json])[] = [
  ['without capabilities', { supported_protocol_versions: [2] }],
  ['with more versions', { supported_protocol_versions: [1, 2, 65_535, 2] }],
  ['with 8 versions', { supported_protocol_versions: numbers(8) }],
  ['with 8 operations', { ...INITIALIZE, requested_capabilities: names(8) }],
];

const bothMaps = moreEntries('a[0]');

export const INITIALIZATION: readonly Script[] = [
  ...refusals.map(([name, payload]) => ({
    name: `refused: ${name}`,
    steps: [greet(), ...ask('initialize', payload)],
  })),
  ...accepted.map(([name, payload]) => ({
    name,
    differences: bothMaps,
    steps: [greet(), ...ask('initialize', payload)],
  })),
  {
    name: 'after a refused one',
    differences: moreEntries('a[1]'),
    steps: [greet(), ...ask('initialize', {}), ...ask('initialize', INITIALIZE)],
  },
  { name: 'a second time', steps: [welcome(), ...ask('initialize', INITIALIZE)] },
  {
    name: 'a second time with null identities',
    steps: [welcome(), ...ask('initialize', INITIALIZE, { instance_id: null, connection_id: null })],
  },
  { name: 'a second time with a bad payload', steps: [welcome(), ...ask('initialize', { colour: 'red' })] },
  { name: 'with an instance', steps: [greet(), ...ask('initialize', INITIALIZE, { instance_id: 'i' })] },
  { name: 'with a connection', steps: [greet(), ...ask('initialize', INITIALIZE, { connection_id: 'c' })] },
  {
    name: 'with an instance and a bad payload',
    steps: [greet(), ...ask('initialize', {}, { instance_id: 'i' })],
  },
  {
    name: 'on two connections: one instance, two connection IDs',
    differences: [...bothMaps, ...moreEntries('b[0]')],
    steps: [greet(), greet('b'), ...ask('initialize', INITIALIZE), ...ask('initialize', INITIALIZE, {}, 'b')],
  },
  {
    name: 'capabilities',
    differences: moreEntries('a[0]').slice(0, 1),
    steps: [welcome(), ...ask('capabilities')],
  },
  { name: 'capabilities with a member', steps: [welcome(), ...ask('capabilities', { colour: 'red' })] },
  { name: 'status of one of two clients', alone: true, steps: [greet('b'), welcome(), ...ask('status')] },
  { name: 'status with a member', steps: [welcome(), ...ask('status', { colour: 'red' })] },
];
