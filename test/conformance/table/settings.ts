/** Providers, models and settings (lifecycle: "Operations"; service guide: "Catalogs and configuration"). */
import type { Json } from '../../../src/wire/json.ts';
import type { Script, Step } from '../script.ts';
import { MODEL, PROVIDER } from '../services.ts';
import { ask, lookup, welcome, world } from '../steps.ts';

const bounds: readonly (readonly [name: string, page: Readonly<Record<string, Json>>])[] = [
  ['limit 0', { limit: 0 }],
  ['limit 33', { limit: 33 }],
  ['limit -1', { limit: -1 }],
  ['limit a string', { limit: '1' }],
  ['limit null', { limit: null }],
  ['limit a fraction', { limit: 1.5 }],
  ['limit 2^53', { limit: 2 ** 53 }],
  ['offset 100001', { offset: 100_001 }],
  ['offset -1', { offset: -1 }],
  ['offset null', { offset: null }],
  ['offset a string', { offset: '0' }],
  ['a further member', { colour: 'red' }],
];

const fine: readonly (readonly [name: string, page: Readonly<Record<string, Json>>])[] = [
  ['offset 100000', { offset: 100_000 }],
  ['limit 32', { limit: 32, offset: 0 }],
];

/** Provider IDs that are none. */
const strangers: readonly Json[] = [
  'nobody',
  '',
  'a b',
  'ä',
  'x'.repeat(256),
  'x'.repeat(257),
  'sk-abcdefghijklmnopqrstuvwxyz0123456789',
  1,
  null,
];

const selection = { provider_id: PROVIDER, model_id: MODEL };
const sets: readonly (readonly [name: string, payload: Json])[] = [
  ['no scope', { fast: true }],
  ['scope null', { scope: null, fast: true }],
  ['scope a number', { scope: 1, fast: true }],
  ['another scope', { scope: 'galaxy', fast: true }],
  ['another scope and nothing', { scope: 'galaxy' }],
  ['nothing', { scope: 'global' }],
  ['nothing in the project', { scope: 'project' }],
  ['fast in the project', { scope: 'project', fast: true }],
  ['fast false in the project', { scope: 'project', fast: false }],
  ['fast null', { scope: 'global', fast: null }],
  ['fast a string', { scope: 'global', fast: 'yes' }],
  ['selection null', { scope: 'global', selection: null }],
  ['selection without a model', { scope: 'global', selection: { provider_id: PROVIDER } }],
  ['selection with a member too many', { scope: 'global', selection: { ...selection, colour: 'red' } }],
  ['selection of nobody', { scope: 'global', selection: { ...selection, provider_id: 'nobody' } }],
  ['selection with a bad model', { scope: 'global', selection: { ...selection, model_id: 'a b' } }],
  ['selection with an empty model', { scope: 'global', selection: { ...selection, model_id: '' } }],
  [
    'selection with a long model',
    { scope: 'global', selection: { ...selection, model_id: 'x'.repeat(257) } },
  ],
  ['a level that nobody knows', { scope: 'global', thinking_level: 'endless' }],
  ['a level that is null', { scope: 'global', thinking_level: null }],
  ['a further member', { scope: 'global', fast: true, colour: 'red' }],
  [
    'another scope and a bad selection',
    { scope: 'galaxy', selection: { ...selection, provider_id: 'nobody' } },
  ],
  [
    'fast in the project and a bad selection',
    { scope: 'project', fast: true, selection: { ...selection, provider_id: 'nobody' } },
  ],
];

const set = (payload: Json, op = 'set'): Step[] => [
  ...ask('config.set', payload, { operation_id: `$op.${op}` }),
  ...lookup(op),
];

export const SETTINGS: readonly Script[] = [
  { name: 'config.get', steps: [welcome(), ...ask('config.get')] },
  { name: 'config.get with a member', steps: [welcome(), ...ask('config.get', { colour: 'red' })] },
  { name: 'providers', steps: [welcome(), ...ask('catalog.providers')] },
  ...bounds.map(([name, page]) => ({
    name: `lists with ${name}`,
    steps: [
      welcome(),
      ...ask('catalog.providers', page),
      ...ask('catalog.models', { provider_id: PROVIDER, ...page }),
      ...ask('catalog.models', { provider_id: 'nobody', ...page }),
    ],
  })),
  ...fine.map(([name, page]) => ({
    name: `lists with ${name}`,
    alone: true as const,
    steps: [
      welcome(),
      ...ask('catalog.providers', page),
      ...ask('catalog.models', { provider_id: PROVIDER, ...page }),
    ],
  })),
  {
    name: 'models before any refresh',
    alone: true,
    steps: [welcome(), ...ask('catalog.models', { provider_id: PROVIDER })],
  },
  { name: 'models without a provider', steps: [welcome(), ...ask('catalog.models', {})] },
  ...strangers.map((provider_id) => ({
    name: `models and refresh of ${nameOf(provider_id)}`,
    steps: [
      welcome(),
      ...ask('catalog.models', { provider_id }),
      ...ask('catalog.refresh', { provider_id }, { operation_id: '$op.r' }),
      ...lookup('r'),
    ],
  })),
  {
    name: 'refresh with a page',
    steps: [
      welcome(),
      ...ask('catalog.refresh', { provider_id: PROVIDER, limit: 1 }, { operation_id: '$op.r' }),
      ...lookup('r'),
    ],
  },
  {
    name: 'refresh without a provider',
    steps: [welcome(), ...ask('catalog.refresh', {}, { operation_id: '$op.r' }), ...lookup('r')],
  },
  ...sets.map(([name, payload]) => ({ name: `set ${name}`, steps: [welcome(), ...set(payload)] })),
  {
    name: 'set fast, and read it',
    alone: true,
    steps: [
      welcome(),
      ...set({ scope: 'global', fast: true }),
      ...ask('config.get'),
      ...set({ scope: 'global', fast: false }, 'back'),
      ...ask('config.get'),
    ],
  },
  {
    name: 'settings that cannot be read, and are mended',
    alone: true,
    steps: [
      welcome(),
      world((around) => around.settings('{')),
      ...ask('config.get'),
      ...ask('catalog.providers'),
      ...ask('catalog.models', { provider_id: PROVIDER }),
      ...ask('status'),
      ...ask('auth.status'),
      ...set({ scope: 'global', fast: true }),
      ...set({ scope: 'galaxy', fast: true }, 'scope'),
      ...ask('catalog.refresh', { provider_id: PROVIDER }, { operation_id: '$op.r' }),
      ...lookup('r'),
      world((around) => around.mendSettings()),
      ...ask('config.get'),
      ...ask('status'),
    ],
  },
];

function nameOf(provider: Json): string {
  const text = JSON.stringify(provider);
  return text.length > 100 ? `${text.length - 2} letters` : text;
}
