/** Other ways to write a request, other profiles, other catalogs: what differs on purpose (PROTOCOL.md, "Embedded service"). */
import type { Json } from '../../../src/wire/json.ts';
import { INITIALIZE } from '../../interop/raw-peer.ts';
import { otherCode, refusedHere, refusedThere } from '../differences.ts';
import type { Difference, Script, Step } from '../script.ts';
import { MODEL, PROVIDER } from '../services.ts';
import { ask, askLine, controlled, greet, held, lookup, welcome } from '../steps.ts';

const ARRAYS = 'arrays instead of objects';
const NUMBERS = 'numbers';
const PROFILES = 'profiles';
const CATALOGS = 'catalogs';

const NOBODY = { session_id: 's', control: { grant_id: 'g', generation: 1 } };
const selection = { provider_id: PROVIDER, model_id: MODEL };

/** A request in which one text is replaced. */
function written(method: string, payload: Json, from: string, to: string, slots = {}): Step[] {
  return askLine(method, payload, (record) => JSON.stringify(record).replace(from, to), slots);
}

const arrays: readonly Script[] = [
  {
    name: 'an array for no members',
    differences: refusedHere(ARRAYS, 'a[0]', 'invalid_payload'),
    steps: [welcome(), ...ask('session.active', [])],
  },
  {
    name: 'an array of members',
    differences: otherCode(ARRAYS, 'a[0]', 'invalid_selection', 'invalid_payload'),
    steps: [welcome(), ...ask('catalog.models', ['nobody', 0, 1])],
  },
  {
    name: 'an array for initialize',
    differences: refusedHere(ARRAYS, 'a[0]', 'invalid_payload'),
    steps: [greet(), ...ask('initialize', [[2], []])],
  },
  {
    name: 'an array for control',
    differences: otherCode(ARRAYS, 'a[0]', 'stale_grant', 'invalid_request'),
    steps: [
      welcome(),
      ...ask('session.detach', {}, { operation_id: '$op.d', session_id: 's', control: ['g', 1] }),
    ],
  },
  {
    name: 'an array for a prompt',
    differences: ['error', 'method', 'session_id', 'state'].map((member) => ({
      row: ARRAYS,
      at: `a[3].payload.${member}`,
    })),
    steps: [...controlled(), ...ask('turn.start', ['hello'], held('start')), ...lookup('start')],
  },
];

const numbers: readonly Script[] = [
  ...['2.0', '2e0'].map((version) => ({
    name: `protocol_version written ${version}`,
    differences: refusedThere(NUMBERS, 'a[0]', 'invalid_request'),
    steps: [
      welcome(),
      ...written('session.active', {}, '"protocol_version":2', `"protocol_version":${version}`),
    ],
  })),
  {
    name: 'protocol_version written -0',
    differences: otherCode(NUMBERS, 'a[0]', 'invalid_request', 'unsupported_version'),
    steps: [welcome(), ...written('session.active', {}, '"protocol_version":2', '"protocol_version":-0')],
  },
  ...['1.0', '1e0'].map((generation) => ({
    name: `generation written ${generation}`,
    differences: otherCode(NUMBERS, 'a[0]', 'invalid_request', 'stale_grant'),
    steps: [
      welcome(),
      ...written('session.detach', {}, '"generation":1', `"generation":${generation}`, {
        operation_id: '$op.d',
        ...NOBODY,
      }),
    ],
  })),
  {
    name: 'a limit written 1.0',
    alone: true,
    differences: refusedThere(NUMBERS, 'a[0]', 'invalid_payload'),
    steps: [welcome(), ...written('session.list', { limit: 1 }, '"limit":1', '"limit":1.0')],
  },
];

const rename: Difference[] = ['error', 'method', 'session_id', 'state'].map((member) => ({
  row: PROFILES,
  at: `a[2].payload.${member}`,
}));

const profiles: readonly Script[] = [
  ...['executor.create', 'session.resources.list', 'turn.application_evidence'].map((method) => ({
    name: `an operation of the profile that is missing here: ${method}`,
    differences: [0, 1].flatMap((at) =>
      otherCode(PROFILES, `a[${at}]`, 'invalid_payload', 'unsupported_operation'),
    ),
    steps: [welcome(), ...ask(method), ...ask(method, {}, held('x', NOBODY)), ...lookup('x')],
  })),
  ...['session.envelopes', 'session.rename', 'turn.steer'].map((method) => ({
    name: `an operation of the profile that is missing there: ${method}`,
    differences: [
      ...otherCode(PROFILES, 'a[0]', 'unsupported_operation', 'invalid_payload'),
      ...(method === 'session.envelopes'
        ? otherCode(PROFILES, 'a[1]', 'unsupported_operation', 'invalid_payload')
        : [...otherCode(PROFILES, 'a[1]', 'unsupported_operation', 'unsupported_capability'), ...rename]),
    ],
    steps: [welcome(), ...ask(method), ...ask(method, {}, held('x', NOBODY)), ...lookup('x')],
  })),
  {
    name: 'asking for the profile that is missing here',
    differences: refusedHere(PROFILES, 'a[0]', 'unsupported_capability'),
    steps: [
      greet(),
      ...ask('initialize', { ...INITIALIZE, requested_capabilities: ['application_resources_v1'] }),
    ],
  },
  {
    name: 'asking for the profile that is missing there',
    differences: refusedThere(PROFILES, 'a[0]', 'unsupported_capability'),
    steps: [
      greet(),
      ...ask('initialize', { ...INITIALIZE, requested_capabilities: ['session_protocol_v2'] }),
    ],
  },
];

const catalogs: readonly Script[] = [
  {
    name: 'a catalog that is asked for',
    alone: true,
    differences: [
      ...refusedThere(CATALOGS, 'a[0]', 'catalog_refresh_failed'),
      { row: CATALOGS, at: 'a[1].payload.error', ours: null },
      { row: CATALOGS, at: 'a[1].payload.result.status', real: 'failed', ours: 'completed' },
      { row: CATALOGS, at: 'a[2].payload.entries[0]' },
      { row: CATALOGS, at: 'a[2].payload.state', real: 'unavailable', ours: 'fresh_cache' },
    ],
    steps: [
      welcome(),
      ...ask('catalog.refresh', { provider_id: PROVIDER }, { operation_id: '$op.r' }),
      ...lookup('r'),
      ...ask('catalog.models', { provider_id: PROVIDER }),
    ],
  },
  {
    name: 'a selection, without a catalog that was asked for',
    alone: true,
    differences: [
      ...refusedThere(CATALOGS, 'a[0]', 'catalog_unavailable'),
      { row: CATALOGS, at: 'a[1].payload.error', ours: null },
      { row: CATALOGS, at: 'a[1].payload.result.status', real: 'failed', ours: 'completed' },
      ...otherCode(CATALOGS, 'a[2]', 'catalog_unavailable', 'unsupported_reasoning'),
      ...otherCode(CATALOGS, 'a[3]', 'catalog_unavailable', 'invalid_selection'),
    ],
    steps: [
      welcome(),
      ...ask('config.set', { scope: 'global', selection }, { operation_id: '$op.s' }),
      ...lookup('s'),
      ...ask('config.set', { scope: 'project', thinking_level: 'max' }, { operation_id: '$op.t' }),
      ...ask(
        'config.set',
        { scope: 'project', selection: { ...selection, model_id: 'unheard-of' } },
        { operation_id: '$op.u' },
      ),
      ...ask('config.get'),
    ],
  },
];

export const OTHER_FORMS: readonly Script[] = [...arrays, ...numbers, ...profiles, ...catalogs];
