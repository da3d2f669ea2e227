/** Who could answer, and with which models (PROTOCOL.md, "Catalogs"). */
import { expect, test, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import { levelsOf } from '../../src/store/catalog.ts';
import type { ModelEntry } from '../../src/wire/catalog.ts';
import { FakeService } from './fake-service.ts';
import { type Scene, scene, untilReady } from './scene.ts';

const model = (model_id: string): ModelEntry => ({
  provider_id: 'demo',
  model_id,
  label: model_id,
  available: true,
  context_window: null,
  max_output_tokens: null,
  available_thinking_levels: ['default', 'max'],
});

/** Two providers, one of which lacks its key; the other's list is `state` until it is refreshed. */
function catalogued(state: 'fresh_cache' | 'stale' | 'unavailable', models = [model('m-one')]): Scene {
  const service = new FakeService('instance-1');
  let present = state;
  const auth = { source: 'none', auth_method: 'api_key' } as const;
  service.handlers.set('auth.status', () => ({
    providers: [
      { ...auth, provider_id: 'demo', readiness: 'ready', ready: true },
      { ...auth, provider_id: 'locked', readiness: 'missing', ready: false },
    ],
  }));
  service.handlers.set('catalog.providers', (payload) => {
    const { offset } = payload as { offset: number };
    const all = [
      { provider_id: 'demo', label: 'Demo' },
      { provider_id: 'locked', label: 'Locked' },
    ];
    return {
      entries: all.slice(offset, offset + 1),
      next_offset: offset === 0 ? 1 : null,
      refresh: 'cache_only',
    };
  });
  service.handlers.set('catalog.models', (payload) => {
    const { offset } = payload as { offset: number };
    const shown = present === 'unavailable' ? [] : models.slice(offset, offset + 2);
    const next = present !== 'unavailable' && offset + 2 < models.length ? offset + 2 : null;
    return { entries: shown, next_offset: next, state: present, refresh: 'cache_only' };
  });
  service.handlers.set('catalog.refresh', () => {
    present = 'fresh_cache';
    return { provider_id: 'demo', state: present };
  });
  return scene(service);
}

const catalog = ({ store }: Scene) => store.getState().catalog;

test('is read page by page, with the reason of those who cannot answer', async () => {
  const made = catalogued('fresh_cache', ['m-1', 'm-2', 'm-3', 'm-4', 'm-5'].map(model));
  await untilReady(made);
  void made.conversation.catalog.read();
  expect(catalog(made).state).toBe('reading');
  await vi.waitFor(() => expect(catalog(made).state).toBe('read'));
  expect(catalog(made).providers).toMatchObject([
    { id: 'demo', reason: '', list: 'fresh' },
    { id: 'locked', reason: 'its key is missing', models: [] },
  ]);
  expect(catalog(made).providers[0]?.models.map(({ model_id }) => model_id)).toEqual([
    'm-1',
    'm-2',
    'm-3',
    'm-4',
    'm-5',
  ]);
  expect(made.service.calls).not.toContain('catalog.refresh');
  expect(levelsOf(made.store.getState(), { provider_id: 'demo', model_id: 'm-3' })).toEqual([
    'default',
    'max',
  ]);
  expect(levelsOf(made.store.getState(), { provider_id: 'demo', model_id: 'm-9' })).toBeNull();
});

test.each(['stale', 'unavailable'] as const)(
  'a list that is %s is fetched for the one that answers',
  async (state) => {
    const made = catalogued(state);
    await untilReady(made);
    void made.conversation.catalog.read();
    await vi.waitFor(() =>
      expect(catalog(made)).toMatchObject({ state: 'read', providers: [{ list: 'fresh' }, {}] }),
    );
    expect(made.service.calls.filter((call) => call === 'catalog.refresh').length).toBe(1);
  },
);

test('what cannot be fetched is told, and what is known stays', async () => {
  const made = catalogued('stale');
  made.service.handlers.set('catalog.refresh', () => {
    throw refusal({ code: 'catalog_refresh_failed' });
  });
  await untilReady(made);
  void made.conversation.catalog.read();
  await vi.waitFor(() => expect(catalog(made).failure).toContain('could not be fetched'));
  expect(catalog(made).providers[0]).toMatchObject({ list: 'stale', models: [{ model_id: 'm-one' }] });
});

test('no message waits for it', async () => {
  const made = catalogued('fresh_cache');
  made.service.handlers.set('auth.status', () => new Promise(() => undefined));
  await untilReady(made);
  void made.conversation.catalog.read();
  made.conversation.send('Hello');
  await vi.waitFor(() => expect(made.service.prompts).toEqual(['Hello']));
  expect(catalog(made).state).toBe('reading');
});

test('what goes on is told while it goes on', async () => {
  const made = catalogued('stale', ['m-1', 'm-2', 'm-3'].map(model));
  await untilReady(made);
  const seen: string[] = [];
  made.store.subscribe(() => {
    const { progress } = catalog(made);
    const step = progress === null ? 'over' : `${progress.doing} ${progress.providerId} ${progress.models}`;
    if (seen.at(-1) !== step) seen.push(step);
  });
  await made.conversation.catalog.refresh('demo');
  expect(seen).toEqual(['over', 'asking demo 0', 'reading  0', 'reading demo 2', 'reading demo 3', 'over']);
});

test.each([
  ['stale', 'demo gave no newer list, and of the old one nothing can be chosen. Try again in a moment.'],
  ['unavailable', 'demo gave no list. Is it signed in to, and reachable?'],
] as const)('a list that is %s although it was asked for is told as that', async (state, words) => {
  const made = catalogued(state);
  made.service.handlers.set('catalog.refresh', () => ({ provider_id: 'demo', state }));
  await untilReady(made);
  await made.conversation.catalog.refresh('demo');
  expect(catalog(made)).toMatchObject({ state: 'failed', failure: words, progress: null });
});

test('readings come one after the other', async () => {
  const made = catalogued('fresh_cache');
  await untilReady(made);
  await Promise.all([made.conversation.catalog.read(), made.conversation.catalog.refresh('demo')]);
  const calls = made.service.calls.filter((call) => call.startsWith('catalog.') || call === 'auth.status');
  const once = ['auth.status', 'catalog.providers', 'catalog.providers', 'catalog.models'];
  expect(calls).toEqual([...once, 'catalog.refresh', ...once]);
});
