/** Providers, models and settings (PROTOCOL.md, "Catalogs", "Configuration", "Authentication"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { settleOperation } from '../../src/client/lookup.ts';
import type { RequestPayload } from '../../src/wire/operations.ts';
import { failureOf } from '../client/helpers.ts';
import { keyOf } from './operation-key.ts';
import { MODEL, PROVIDER, scenes } from './scene.ts';

const scene = scenes();

describe('reading', () => {
  test('lists the built-in providers and the one of the settings', async () => {
    const connection = await (await scene()).connect();
    expect(await connection.request('catalog.providers', {})).toEqual({
      entries: [
        { provider_id: 'anthropic', label: 'anthropic' },
        { provider_id: PROVIDER, label: 'Loopback' },
        { provider_id: 'openai-codex', label: 'openai-codex' },
      ],
      next_offset: null,
      refresh: 'cache_only',
    });
    const page = await connection.request('catalog.providers', { offset: 1, limit: 1 });
    expect(page).toMatchObject({ entries: [{ provider_id: PROVIDER }], next_offset: 2 });
    const end = await connection.request('catalog.providers', { offset: 100_000 });
    expect(end).toMatchObject({ entries: [], next_offset: null });
  });

  test('has no models as long as no catalog was fetched', async () => {
    const connection = await (await scene()).connect();
    expect(await connection.request('catalog.models', { provider_id: PROVIDER })).toEqual({
      entries: [],
      next_offset: null,
      refresh: 'cache_only',
      state: 'unavailable',
    });
  });

  test('tells what is in effect', async () => {
    const connection = await (await scene()).connect();
    expect(await connection.request('config.get', {})).toEqual({
      selection: { provider_id: PROVIDER, model_id: MODEL },
      thinking_level: 'default',
      configured_thinking_level: 'default',
      available_thinking_levels: ['default'],
      fast: false,
      precedence: ['environment', 'project', 'global'],
      writable_scopes: ['global', 'project'],
      global_only: ['fast'],
    });
  });

  test('tells who is signed in', async () => {
    const connection = await (await scene()).connect();
    const { providers } = await connection.request('auth.status', {});
    expect(providers.toSorted((left, right) => left.provider_id.localeCompare(right.provider_id))).toEqual([
      {
        provider_id: 'anthropic',
        auth_method: 'api_key',
        source: 'shared_store',
        readiness: 'missing',
        ready: false,
      },
      { provider_id: PROVIDER, auth_method: 'none', source: 'none', readiness: 'ready', ready: true },
      {
        provider_id: 'openai-codex',
        auth_method: 'oauth',
        source: 'shared_store',
        readiness: 'missing',
        ready: false,
      },
    ]);
    expect(await connection.request('status', {})).toMatchObject({ provider_auth_ready: true });
  });

  test('beyond the bounds, or of nobody, is refused', async () => {
    const connection = await (await scene()).connect();
    for (const page of [{ limit: 0 }, { limit: 33 }, { offset: 100_001 }]) {
      expect((await failureOf(connection.request('catalog.providers', page))).code).toBe('limit_exceeded');
      const models = connection.request('catalog.models', { provider_id: 'nobody', ...page });
      expect((await failureOf(models)).code).toBe('limit_exceeded');
    }
    const nobody = connection.request('catalog.models', { provider_id: 'nobody' });
    expect((await failureOf(nobody)).code).toBe('invalid_selection');
  });

  test('unreadable settings is unavailable until they are mended', async () => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    opened.home.settings('{');
    const providers = connection.request('catalog.providers', {});
    expect((await failureOf(providers)).code).toBe('configuration_unavailable');
    expect((await failureOf(connection.request('config.get', {}))).code).toBe('configuration_unavailable');
    expect((await failureOf(connection.request('status', {}))).code).toBe('internal_error');
    expect((await failureOf(session.startTurn('hello', randomUUID()))).code).toBe('internal_error');
    opened.home.settings(JSON.stringify({ schema_version: 2 }));
    expect(await connection.request('config.get', {})).toMatchObject({ fast: false });
  });
});

describe('changing', () => {
  type Change = RequestPayload<'config.set'>;
  const changes: readonly [code: string, name: string, change: Change][] = [
    ['invalid_scope', 'another scope', { scope: 'galaxy', fast: true }],
    ['invalid_scope', 'fast in the project', { scope: 'project', fast: false }],
    ['invalid_payload', 'nothing', { scope: 'global' }],
    [
      'invalid_selection',
      'a foreign provider',
      { scope: 'global', selection: { provider_id: 'nobody', model_id: MODEL } },
    ],
    [
      'catalog_unavailable',
      'a model without a catalog',
      { scope: 'global', selection: { provider_id: PROVIDER, model_id: MODEL } },
    ],
    ['catalog_unavailable', 'a level without a catalog', { scope: 'project', thinking_level: 'high' }],
  ];
  test.each(changes)('is refused with %s: %s', async (code, _name, change) => {
    const connection = await (await scene()).connect();
    const before = await connection.request('config.get', {});
    const operationId = randomUUID();
    const failure = await failureOf(connection.request('config.set', change, { operationId }));
    expect(failure).toMatchObject({ code, uncertain: false });
    const key = keyOf(connection, operationId, 'config.set');
    expect(await settleOperation(connection, key)).toMatchObject({
      state: 'terminal',
      result: { status: 'failed' },
      failure: { code },
    });
    expect(await connection.request('config.get', {})).toEqual(before);
  });

  test('fast needs no catalog, and stays', async () => {
    const opened = await scene();
    const connection = await opened.connect();
    const set = await connection.request('config.set', { scope: 'global', fast: true });
    expect(set).toMatchObject({ persisted: true, scope: 'global', effective: { fast: true } });
    await opened.daemon.kill();
    await opened.startDaemon();
    const later = await opened.connect();
    expect(await later.request('config.get', {})).toEqual(set.effective);
  });

  test('a catalog cannot be refreshed without a way out', async () => {
    const connection = await (await scene()).connect();
    const operationId = randomUUID();
    const refresh = connection.request('catalog.refresh', { provider_id: PROVIDER }, { operationId });
    expect((await failureOf(refresh)).code).toBe('catalog_refresh_failed');
    const key = keyOf(connection, operationId, 'catalog.refresh');
    expect(await settleOperation(connection, key)).toMatchObject({
      state: 'terminal',
      result: { status: 'failed' },
      failure: { code: 'catalog_refresh_failed' },
    });
  });
});
