import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { configProjection, configSetResult } from '../../../src/wire/config.ts';
import { op, startWorld, type World } from '../harness.ts';

let world: World;
afterEach(() => world.close());

const box = { label: 'Box', baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' } as const;

function write(settings: object): void {
  writeFileSync(world.settingsFile, JSON.stringify(settings));
}

test('whoever speaks the profile is told which layer decides, and what each of them says', async () => {
  world = await startWorld({ env: { MAGI_TERM_PROVIDER: '', MAGI_TERM_MODEL: 'from-outside' } });
  const here = { thinkingLevel: 'high', allow: { bash: true } };
  write({ provider: 'box', model: 'one', providers: { box }, workspaces: { [world.workspace]: here } });
  const client = await world.profileClient();
  const { payload } = await client.ask('config.get');
  expect(configProjection.parse(payload)).toEqual(payload);
  expect(payload.selection).toEqual({ provider_id: 'box', model_id: 'from-outside' });
  const nothing = { provider_id: null, model_id: null, thinking_level: null };
  expect(payload.layers).toEqual({
    deciding: { selection: 'environment', thinking_level: 'project' },
    environment: { ...nothing, model_id: 'from-outside' },
    project: { ...nothing, thinking_level: 'high' },
    global: { ...nothing, provider_id: 'box', model_id: 'one' },
  });
  expect(payload.unasked).toEqual(['bash']);
});

test('nothing saved is nobody who decides', async () => {
  world = await startWorld({ env: { MAGI_TERM_PROVIDER: '' } });
  const client = await world.profileClient();
  const { layers, unasked } = (await client.ask('config.get')).payload;
  expect(layers.deciding).toEqual({ selection: null, thinking_level: null });
  expect(unasked).toEqual([]);
});

test('a change is answered in the same way', async () => {
  world = await startWorld({ env: { MAGI_TERM_PROVIDER: '' } });
  const client = await world.profileClient();
  const payload = { scope: 'project', selection: { provider_id: 'demo', model_id: 'm-1' } };
  const answer = (await client.ask('config.set', payload, { operation_id: op() })).payload;
  expect(configSetResult.parse(answer)).toEqual(answer);
  expect(answer.effective.layers.deciding.selection).toBe('project');
  expect(answer.effective.layers.project).toEqual({
    provider_id: 'demo',
    model_id: 'm-1',
    thinking_level: 'default',
  });
});

test('what a scope says can be taken back', async () => {
  world = await startWorld({ env: { MAGI_TERM_PROVIDER: '' } });
  const own = { provider: 'box', model: 'one', thinkingLevel: 'high', mine: 1 };
  write({ provider: 'demo', model: 'm-1', providers: { box }, workspaces: { [world.workspace]: own } });
  const client = await world.profileClient();
  const reset = (what: string[]) =>
    client.ask('config.set', { scope: 'project', reset: what }, { operation_id: op() });
  const { effective } = (await reset(['selection'])).payload;
  expect(effective.selection).toEqual({ provider_id: 'demo', model_id: 'm-1' });
  expect(effective.layers.project).toEqual({ provider_id: null, model_id: null, thinking_level: 'high' });
  await reset(['thinking_level']);
  const kept = JSON.parse(readFileSync(world.settingsFile, 'utf8'));
  expect(kept.workspaces[world.workspace]).toEqual({ mine: 1 });
  expect(kept).toMatchObject({ provider: 'demo', model: 'm-1' });
  expect((await reset([])).error?.code).toBe('invalid_payload');
});

test('whose models answer faster is told', async () => {
  world = await startWorld({ env: { MAGI_TERM_PROVIDER: '' } });
  write({ providers: { box } });
  const client = await world.profileClient();
  expect((await client.ask('config.get')).payload.fast_providers).toEqual(['openai', 'openai-codex']);
});

test('ordinary clients are told what magi-code tells', async () => {
  world = await startWorld({ env: { MAGI_TERM_PROVIDER: '' } });
  const client = await world.client();
  expect(Object.keys((await client.ask('config.get')).payload)).toEqual([
    'selection',
    'thinking_level',
    'configured_thinking_level',
    'available_thinking_levels',
    'fast',
    'precedence',
    'writable_scopes',
    'global_only',
  ]);
  const set = await client.ask('config.set', { scope: 'global', fast: true }, { operation_id: op() });
  expect(set.payload.effective.layers).toBeUndefined();
  const reset = { scope: 'global', reset: ['selection'] };
  expect((await client.ask('config.set', reset, { operation_id: op() })).error?.code).toBe('invalid_payload');
});
