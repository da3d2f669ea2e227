/** Who answers once somebody has signed in (PROTOCOL.md, "Configuration"). */
import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { AuthStore } from '../../../src/service/auth/auth-store.ts';
import { choose } from '../../../src/service/config/selection.ts';
import type { Rec, WireClient } from '../harness.ts';
import { type AuthWorld, CODEX, logout, signIn, startAuthWorld } from './auth-world.ts';

let world: AuthWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function open(env: Record<string, string> = {}): Promise<{ client: WireClient; world: AuthWorld }> {
  world = await startAuthWorld({ env: { MAGI_TERM_PROVIDER: '', ...env } });
  return { client: await world.client(), world };
}

async function config(client: WireClient): Promise<Rec> {
  return (await client.ask('config.get')).payload.selection;
}

test('signing in makes Codex the default of those who chose nothing, and signing out ends that', async () => {
  const { client, world } = await open();
  expect((await config(client)).provider_id).toBe('anthropic');
  expect((await client.ask('status')).payload.provider_auth_ready).toBe(false);
  await signIn(world, client);
  expect((await config(client)).provider_id).toBe(CODEX);
  expect((await client.ask('status')).payload.provider_auth_ready).toBe(true);
  await logout(client);
  expect((await config(client)).provider_id).toBe('anthropic');
});

test('signing in counts more than a key that was stored before', async () => {
  const { client, world } = await open();
  await new AuthStore(world.stateRoot).setKey('anthropic', 'made-up-key');
  await signIn(world, client);
  expect((await config(client)).provider_id).toBe(CODEX);
});

test('a choice in the settings stands', async () => {
  const { client, world } = await open();
  writeFileSync(world.settingsFile, JSON.stringify({ provider: 'demo' }));
  await signIn(world, client);
  expect((await config(client)).provider_id).toBe('demo');
});

const here = '/w';
const signedIn = { hasKey: () => false, isSignedIn: (id: string) => id === CODEX };

test.each([
  ['nothing chosen', {}, {}, CODEX, null],
  ['a level is no choice', { thinkingLevel: 'high' }, {}, CODEX, null],
  ['a provider everywhere', { provider: 'demo' }, {}, 'demo', null],
  ['a provider of the folder', { workspaces: { [here]: { provider: 'demo' } } }, {}, 'demo', null],
  ['a provider of another folder', { workspaces: { '/v': { provider: 'demo' } } }, {}, CODEX, null],
  ['a provider of the environment', {}, { MAGI_TERM_PROVIDER: 'demo' }, 'demo', null],
  ['a model keeps its provider', { model: 'claude-x' }, {}, 'anthropic', 'claude-x'],
  ['a model of the environment, too', {}, { MAGI_TERM_MODEL: 'claude-x' }, 'anthropic', 'claude-x'],
  ['a key of the environment', {}, { ANTHROPIC_API_KEY: 'k' }, 'anthropic', null],
  ['a server of the environment', {}, { OPENAI_BASE_URL: 'http://127.0.0.1:1' }, 'openai', null],
  ['what is no name', { provider: 'no name' }, { MAGI_TERM_PROVIDER: '' }, CODEX, null],
])('%s', (_name, settings, env, providerId, modelId) => {
  expect(choose(settings, here, env, signedIn)).toMatchObject({ providerId, modelId });
});

test('a sign-in that has to be renewed stays the default', async () => {
  const { client, world } = await open();
  await signIn(world, client);
  const file = new AuthStore(world.stateRoot);
  const read = file.read();
  const record = read.ok ? read.auth.oauth(CODEX) : null;
  if (!read.ok || record === null) throw new Error('nobody is signed in');
  await file.putOAuth(CODEX, { ...record, needs_login: true }, read.auth.generation(CODEX));
  expect((await config(client)).provider_id).toBe(CODEX);
  expect((await client.ask('status')).payload.provider_auth_ready).toBe(false);
});
