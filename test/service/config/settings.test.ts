import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { authStatusResult } from '../../../src/wire/auth.ts';
import { modelsResult, providersResult } from '../../../src/wire/catalog.ts';
import { configProjection, configSetResult } from '../../../src/wire/config.ts';
import { op, startWorld, type WireClient, type World, type WorldOptions } from '../harness.ts';

let world: World;
afterEach(() => world.close());

async function open(options: WorldOptions = {}): Promise<WireClient> {
  world = await startWorld(options);
  return world.client();
}

const custom = { label: 'My box', baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' } as const;
const set = (client: WireClient, payload: object) =>
  client.ask('config.set', payload, { operation_id: op() });

describe('providers', () => {
  test('built in, custom and found, with what they need', async () => {
    const local = { id: 'ollama', label: 'Ollama', baseUrl: 'http://127.0.0.1:2/v1', models: ['llama'] };
    const client = await open({ env: { OPENAI_API_KEY: 'k', BOX_KEY: '' }, discover: async () => [local] });
    writeFileSync(
      world.settingsFile,
      JSON.stringify({ providers: { box: { ...custom, apiKeyEnv: 'BOX_KEY' } } }),
    );
    const { payload } = await client.ask('catalog.providers');
    expect(providersResult.parse(payload)).toEqual(payload);
    expect(payload.entries.map((entry: { provider_id: string }) => entry.provider_id)).toEqual([
      'anthropic',
      'box',
      'demo',
      'ollama',
      'openai',
      'openai-codex',
    ]);
    const page = (await client.ask('catalog.providers', { offset: 1, limit: 2 })).payload;
    expect([page.entries.length, page.next_offset]).toEqual([2, 3]);
    const auth = (await client.ask('auth.status')).payload;
    expect(authStatusResult.parse(auth)).toEqual(auth);
    const short = auth.providers.map((p: Record<string, unknown>) =>
      [p.provider_id, p.source, p.readiness].join(' '),
    );
    expect(short).toEqual([
      'anthropic environment missing',
      'box environment missing',
      'demo none ready',
      'ollama none ready',
      'openai environment ready',
      'openai-codex shared_store missing',
    ]);
    const { selection } = (await client.ask('config.get')).payload;
    expect(selection.provider_id).toBe('openai');
    expect(JSON.stringify([payload, auth])).not.toContain('127.0.0.1');
  });

  test.each([
    [{ offset: 100_001 }, 'limit_exceeded'],
    [{ limit: 0 }, 'limit_exceeded'],
    [{ limit: null }, 'invalid_payload'],
  ])('refuses the page %j', async (payload, code) => {
    const client = await open();
    expect((await client.ask('catalog.providers', payload)).error.code).toBe(code);
    const models = await client.ask('catalog.models', { provider_id: 'none', ...payload });
    expect(models.error.code).toBe(code);
  });

  test('lists of models: built in at once, custom after a refresh', async () => {
    const client = await open();
    writeFileSync(world.settingsFile, JSON.stringify({ providers: { box: custom } }));
    const models = (provider_id: string) => client.ask('catalog.models', { provider_id });
    const demo = (await models('demo')).payload;
    expect(modelsResult.parse(demo)).toEqual(demo);
    expect(demo).toMatchObject({
      state: 'fresh_cache',
      entries: [
        { model_id: 'm-1', available: true, available_thinking_levels: ['default', 'high'] },
        { model_id: 'm-2' },
      ],
    });
    expect((await models('box')).payload).toMatchObject({ state: 'unavailable', entries: [] });
    const refresh = (provider_id: string) =>
      client.ask('catalog.refresh', { provider_id }, { operation_id: op() });
    expect((await refresh('box')).payload).toEqual({ provider_id: 'box', state: 'fresh_cache' });
    expect((await models('box')).payload.entries).toHaveLength(2);
    expect((await models('none')).error.code).toBe('invalid_selection');
    expect((await refresh('none')).error.code).toBe('invalid_selection');
    world.agent.models = () => Promise.reject(new Error('away'));
    expect((await refresh('box')).error.code).toBe('catalog_refresh_failed');
    expect((await models('box')).payload.state).toBe('fresh_cache');
  });
});

describe('config.set', () => {
  test('persists, resets thinking, keeps what it does not know', async () => {
    const client = await open({ env: {} });
    writeFileSync(
      world.settingsFile,
      JSON.stringify({ theme: 'dark', provider: 'demo', thinkingLevel: 'high' }),
    );
    expect((await client.ask('config.get')).payload).toMatchObject({
      selection: { provider_id: 'demo', model_id: 'm-1' },
      thinking_level: 'high',
      available_thinking_levels: ['default', 'high'],
    });
    const project = { scope: 'project', selection: { provider_id: 'demo', model_id: 'm-2' } };
    const { payload } = await set(client, project);
    expect(configSetResult.parse(payload)).toEqual(payload);
    expect(configProjection.parse(payload.effective)).toMatchObject({
      selection: { provider_id: 'demo', model_id: 'm-2' },
      configured_thinking_level: 'default',
    });
    await set(client, { scope: 'global', fast: true });
    expect(JSON.parse(readFileSync(world.settingsFile, 'utf8'))).toEqual({
      theme: 'dark',
      provider: 'demo',
      thinkingLevel: 'high',
      fast: true,
      workspaces: { [world.workspace]: { provider: 'demo', model: 'm-2', thinkingLevel: 'default' } },
    });
    expect((await client.ask('status')).payload.provider_auth_ready).toBe(true);
  });

  test.each<[object, string]>([
    [{ scope: 5, fast: true }, 'invalid_payload'],
    [{ scope: 'global', thinking_level: 'extreme' }, 'invalid_payload'],
    [{ scope: 'world' }, 'invalid_scope'],
    [{ scope: 'project', fast: false }, 'invalid_scope'],
    [{ scope: 'global' }, 'invalid_payload'],
    [{ scope: 'global', selection: { provider_id: 'de mo', model_id: 'x' } }, 'invalid_selection'],
    [{ scope: 'global', selection: { provider_id: 'none', model_id: 'x' } }, 'invalid_selection'],
    [{ scope: 'global', selection: { provider_id: 'demo', model_id: 'x' } }, 'invalid_selection'],
    [
      { scope: 'global', selection: { provider_id: 'demo', model_id: 'm-2' }, thinking_level: 'high' },
      'unsupported_reasoning',
    ],
    [{ scope: 'global', thinking_level: 'max' }, 'unsupported_reasoning'],
  ])('refuses %j with %s', async (payload, code) => {
    const client = await open();
    expect((await set(client, payload)).error.code).toBe(code);
  });

  test('fetches a list that is missing, and says so when it cannot', async () => {
    const client = await open();
    writeFileSync(world.settingsFile, JSON.stringify({ providers: { box: custom } }));
    const choose = () => set(client, { scope: 'global', selection: { provider_id: 'box', model_id: 'm-1' } });
    world.agent.models = () => Promise.reject(new Error('away'));
    expect((await choose()).error.code).toBe('catalog_unavailable');
    world.agent.models = async () => [
      { id: 'm-1', label: '', contextWindow: null, maxOutputTokens: null, thinkingLevels: [] },
    ];
    expect((await choose()).error).toBeNull();
  });
});

test('a level of the settings is told as it will be used, although nobody has read the list yet', async () => {
  const client = await open();
  const chosen = { provider: 'box', model: 'm-1', thinkingLevel: 'high' };
  writeFileSync(world.settingsFile, JSON.stringify({ ...chosen, providers: { box: custom } }));
  world.agent.models = async () => [
    { id: 'm-1', label: '', contextWindow: null, maxOutputTokens: null, thinkingLevels: ['high'] },
  ];
  expect((await client.ask('config.get')).payload).toMatchObject({
    thinking_level: 'high',
    configured_thinking_level: 'high',
    available_thinking_levels: ['default', 'high'],
  });
});

test('a broken settings file is said at every door, and a mended one is used at once', async () => {
  const client = await open();
  writeFileSync(world.settingsFile, '{ "provider": ');
  const codes = [
    await client.ask('status'),
    await client.ask('config.get'),
    await client.ask('catalog.providers'),
    await client.ask('catalog.models', { provider_id: 'demo' }),
    await client.ask('catalog.refresh', { provider_id: 'demo' }, { operation_id: op() }),
    await set(client, { scope: 'global', fast: true }),
  ].map((response) => response.error.code);
  expect(codes).toEqual([
    'internal_error',
    'configuration_unavailable',
    'configuration_unavailable',
    'configuration_unavailable',
    'configuration_unavailable',
    'settings_write_failed',
  ]);
  // Who is signed in does not hang on the settings: the providers are those of before.
  expect((await client.ask('auth.status')).payload.providers.length).toBeGreaterThan(2);
  expect(readFileSync(world.settingsFile, 'utf8')).toBe('{ "provider": ');
  writeFileSync(world.settingsFile, '{}');
  expect((await client.ask('status')).error).toBeNull();
});
