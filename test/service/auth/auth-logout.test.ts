/** Signing out, and keys of the shared store (PROTOCOL.md, "Authentication"). */
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { AuthStore } from '../../../src/service/auth/auth-store.ts';
import { authStatusResult, logoutResult } from '../../../src/wire/auth.ts';
import { claim, createSession, op, type Rec, start as startTurn, type WorldOptions } from '../harness.ts';
import {
  type AuthWorld,
  CODEX,
  callback,
  codexStatus,
  logout,
  outcome,
  settled,
  signIn,
  startAuthWorld,
  startLogin,
  stored,
} from './auth-world.ts';

let world: AuthWorld;
afterEach(() => world.close());

async function open(options: WorldOptions = {}) {
  world = await startAuthWorld(options);
  return world.client();
}

describe('signing out', () => {
  test('removes the record of that provider only, and says whether there was one', async () => {
    const client = await open();
    await new AuthStore(world.stateRoot).setKey('anthropic', 'made-up-key');
    await signIn(world, client);
    const operation_id = op();
    const ask = { provider_id: CODEX, confirmed: true };
    const { payload } = await client.ask('auth.logout', ask, { operation_id });
    expect(logoutResult.parse(payload)).toEqual(payload);
    expect(payload).toEqual({
      provider_id: CODEX,
      status: 'logged_out',
      removed: true,
      environment_unchanged: true,
    });
    expect(await settled(client, operation_id)).toMatchObject({
      result: { status: 'completed' },
      error: null,
    });
    expect(await codexStatus(client)).toMatchObject({ readiness: 'missing' });
    expect((await logout(client)).payload.removed).toBe(false);
    expect(Object.keys(stored(world.stateRoot).providers)).toEqual(['anthropic']);
    await signIn(world, client);
  });

  test('must be confirmed, and is for providers that there are', async () => {
    const client = await open();
    expect((await logout(client, CODEX, false)).error.code).toBe('confirmation_required');
    const bare = await client.ask('auth.logout', { provider_id: 'none' }, { operation_id: op() });
    expect(bare.error.code).toBe('confirmation_required');
    expect((await logout(client, 'none')).error.code).toBe('provider_unavailable');
    expect((await logout(client, CODEX, 'yes')).error.code).toBe('invalid_payload');
    expect((await logout(client, 'demo')).payload.removed).toBe(false);
    await new AuthStore(world.stateRoot).setKey('gone', 'made-up-key');
    expect((await logout(client, 'gone')).payload.removed).toBe(true);
  });

  test.each(['waiting', 'exchanging'])(
    'cancels a sign-in that is %s and waits for its end',
    async (where) => {
      const client = await open();
      const other = await world.client();
      const login = await startLogin(client);
      if (where === 'exchanging') {
        world.issuer.token = 'silent';
        await callback(client, login.id, await world.issuer.agree(login.url));
        await world.issuer.asked(1);
      }
      const { payload } = await logout(other);
      expect([payload.status, payload.removed]).toEqual(['logged_out', false]);
      expect((await settled(other, login.operation)).result.status).toBe('cancelled');
      expect(await outcome(client, login.id)).toBe('cancelled');
      expect(await codexStatus(other)).toMatchObject({ readiness: 'missing' });
    },
  );

  test('of another provider leaves a sign-in alone', async () => {
    const client = await open();
    const login = await startLogin(client);
    expect((await logout(client, 'anthropic')).error).toBeNull();
    await callback(client, login.id, await world.issuer.agree(login.url));
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
  });
});

describe('keys', () => {
  const short = (providers: Rec[]) =>
    Object.fromEntries(
      providers.map((p) => [p.provider_id, [p.auth_method, p.source, p.readiness].join(' ')]),
    );

  test('come from the environment first, then from the store', async () => {
    const client = await open({ env: { ANTHROPIC_API_KEY: 'from-environment', BOX_KEY: '' } });
    const custom = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions' };
    writeFileSync(
      world.settingsFile,
      JSON.stringify({ providers: { box: { ...custom, apiKeyEnv: 'BOX_KEY' }, open: custom, kept: custom } }),
    );
    const store = new AuthStore(world.stateRoot);
    for (const id of ['anthropic', 'openai', 'box', 'kept']) await store.setKey(id, `made-up-${id}`);
    const { payload } = await client.ask('auth.status');
    expect(authStatusResult.parse(payload)).toEqual(payload);
    expect(short(payload.providers)).toEqual({
      anthropic: 'api_key environment ready',
      box: 'api_key shared_store ready',
      demo: 'none none ready',
      kept: 'api_key shared_store ready',
      open: 'none none ready',
      openai: 'api_key shared_store ready',
      'openai-codex': 'oauth shared_store missing',
    });
    await logout(client, 'anthropic');
    expect(short((await client.ask('auth.status')).payload.providers).anthropic).toBe(
      'api_key environment ready',
    );
  });

  test('of the store reach the turn, and the vendor only', async () => {
    const client = await open({ env: { MAGI_TERM_PROVIDER: '' } });
    await new AuthStore(world.stateRoot).setKey('openai', 'made-up-openai');
    expect((await client.ask('config.get')).payload.selection.provider_id).toBe('openai');
    expect((await client.ask('status')).payload.provider_auth_ready).toBe(true);
    const held = await claim(client, await createSession(client));
    expect((await startTurn(client, held, 'Hello')).error).toBeNull();
    expect(world.agent.last.request.provider).toMatchObject({ apiKey: 'made-up-openai', baseUrl: null });
    world.agent.last.complete();
  });

  test('of a vendor do not go to another address', async () => {
    const env = { MAGI_TERM_PROVIDER: 'openai', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    const client = await open({ env });
    await new AuthStore(world.stateRoot).setKey('openai', 'made-up-openai');
    const held = await claim(client, await createSession(client));
    await startTurn(client, held, 'Hello');
    expect(world.agent.last.request.provider).toMatchObject({ apiKey: null, baseUrl: env.OPENAI_BASE_URL });
    world.agent.last.complete();
  });

  test('are not what Codex needs: turns get the token of the sign-in, and only from an address that may have it', async () => {
    const client = await open({ env: { MAGI_TERM_PROVIDER: CODEX, MAGI_TERM_MODEL: 'm-1' } });
    await new AuthStore(world.stateRoot).setKey(CODEX, 'made-up-codex');
    const held = await claim(client, await createSession(client));
    await startTurn(client, held, 'Hello');
    const { credential } = world.agent.last.request.provider as { credential: unknown };
    expect(credential).toMatch(/^Nobody is signed in/u);
    world.agent.last.complete();
    await client.event('turn.terminal');
    await signIn(world, client);
    await startTurn(client, held, 'Hello');
    const { access, account_id: accountId } = stored(world.stateRoot).providers[CODEX];
    expect(world.agent.last.request.provider).toEqual({
      api: 'openai-codex-responses',
      id: CODEX,
      label: 'OpenAI Codex (ChatGPT)',
      baseUrl: null,
      credential: { access, accountId },
    });
    world.agent.last.complete();
  });

  test('an address of Codex that is not on this machine is not used', async () => {
    const env = { MAGI_TERM_PROVIDER: CODEX, MAGI_TERM_CODEX_BASE_URL: 'https://example.org/' };
    const client = await open({ env });
    await signIn(world, client);
    expect((await client.ask('status')).payload.provider_auth_ready).toBe(true);
    const models = await client.ask('catalog.models', { provider_id: CODEX });
    expect(models.payload).toMatchObject({ entries: [], state: 'unavailable' });
    const held = await claim(client, await createSession(client));
    expect((await startTurn(client, held, 'Hello')).error.code).toBe('invalid_selection');
  });
});
