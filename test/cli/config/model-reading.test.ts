/** `PROVIDER/MODEL` where IDs hold slashes themselves: nothing is guessed. */
import { expect, test } from 'vitest';
import { readModel } from '../../../src/cli/config/model-reading.ts';
import type { Connection } from '../../../src/client/connection.ts';
import { refusal } from '../../../src/client/failure.ts';

/** Models by provider; null where there is no list, `late` where there is one only after it was asked for. */
type Lists = Readonly<Record<string, readonly string[] | null | 'late'>>;

const PAGE = 2;

/** A service that gives two entries a page. */
function serviceOf(lists: Lists, current: string): Connection {
  const fetched = new Set<string>();
  const paged = (all: readonly object[], offset: number): object => ({
    entries: all.slice(offset, offset + PAGE),
    next_offset: offset + PAGE < all.length ? offset + PAGE : null,
  });
  const answer = (method: string, payload: { provider_id?: string; offset?: number }): object => {
    const { offset = 0, provider_id: id = '' } = payload;
    if (method === 'catalog.providers')
      return paged(
        Object.keys(lists).map((provider_id) => ({ provider_id })),
        offset,
      );
    if (method === 'config.get') return { selection: { provider_id: current, model_id: 'm' } };
    if (method === 'catalog.refresh') {
      if (lists[id] === null) throw refusal({ code: 'catalog_refresh_failed' });
      fetched.add(id);
      return {};
    }
    const list = lists[id] === 'late' ? (fetched.has(id) ? ['late-1'] : null) : (lists[id] ?? null);
    const models = (list ?? []).map((model_id) => ({ model_id }));
    return { ...paged(models, offset), state: list === null ? 'unavailable' : 'fresh_cache' };
  };
  const request = async (method: string, payload: object): Promise<object> => answer(method, payload);
  return { request } as unknown as Connection;
}

const LISTS: Lists = {
  anthropic: ['claude-1'],
  demo: ['demo-1', 'demo-2', 'demo-3'],
  gateway: ['openai/gpt-1', 'openai/gpt-2', 'demo/other', 'far/away/x'],
  late: 'late',
  openai: ['gpt-1'],
  shut: null,
  'a/b': ['c'],
  a: ['b/c', 'd'],
};

test.each([
  ['a provider and its model', 'demo', 'openai/gpt-1', 'openai', 'gpt-1'],
  ['a model on a later page', 'anthropic', 'demo/demo-3', 'demo', 'demo-3'],
  ['a model of the provider that answers', 'gateway', 'openai/gpt-2', null, 'openai/gpt-2'],
  ['the same, as there is no such provider', 'gateway', 'far/away/x', null, 'far/away/x'],
  ['a model with slashes behind its provider', 'demo', 'gateway/openai/gpt-1', 'gateway', 'openai/gpt-1'],
  ['the provider that answers, named', 'demo', 'demo/demo-1', 'demo', 'demo-1'],
  ['a list that has to be fetched', 'demo', 'late/late-1', 'late', 'late-1'],
  ['a list that cannot be fetched', 'demo', 'shut/whatever', 'shut', 'whatever'],
  ['one of two providers', 'demo', 'a/d', 'a', 'd'],
])('%s', async (_name, current, value, providerId, modelId) => {
  const service = serviceOf(LISTS, current);
  for (const holder of [null, current])
    for (const unlisted of ['possible', 'refused'] as const)
      expect(await readModel(service, value, { holder, unlisted })).toEqual({ providerId, modelId });
});

test.each([
  ['two providers could have it', 'demo', 'a/b/c', ['c --provider a/b', 'b/c --provider a']],
  [
    'the provider that answers could have it, too',
    'gateway',
    'openai/gpt-1',
    ['gpt-1 --provider openai', 'openai/gpt-1 --provider gateway'],
  ],
])('%s: it asks which', async (_name, holder, value, commands) => {
  const reading = readModel(serviceOf(LISTS, holder), value, { holder, unlisted: 'refused' });
  const message = await reading.then(String, (error: Error) => error.message);
  expect(message.split('\n').slice(1).sort()).toEqual(
    commands.map((command) => `  magi-term config set model ${command}`).sort(),
  );
});

test('a provider that answers without a list is no guess', async () => {
  const service = serviceOf(LISTS, 'shut');
  const ask = (value: string, unlisted: 'possible' | 'refused') =>
    readModel(service, value, { holder: 'shut', unlisted });
  await expect(ask('openai/gpt-1', 'possible')).rejects.toThrow(/say whose it is/);
  expect(await ask('openai/gpt-1', 'refused')).toEqual({ providerId: 'openai', modelId: 'gpt-1' });
  for (const unlisted of ['possible', 'refused'] as const)
    expect(await ask('org/x', unlisted)).toEqual({ providerId: null, modelId: 'org/x' });
});

test.each(['nobody/x', 'demo/none', 'demo/', '/demo-1', '/'])(
  '%s is nothing that is listed',
  async (value) => {
    const reading = readModel(serviceOf(LISTS, 'demo'), value, { holder: null, unlisted: 'possible' });
    await expect(reading).rejects.toThrow(/no listed PROVIDER\/MODEL, and no model of demo.*--provider/);
  },
);
