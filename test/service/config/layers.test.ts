import { writeFileSync } from 'node:fs';
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
});
