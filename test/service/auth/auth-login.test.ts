/** Signing in over the wire, with an issuer on this machine (PROTOCOL.md, "Authentication"). */
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loginProgress, loginTerminal } from '../../../src/wire/auth.ts';
import type { WorldOptions } from '../harness.ts';
import { ManualClock } from '../manual-clock.ts';
import {
  ACCOUNT,
  type AuthWorld,
  authFile,
  CODEX,
  callback,
  cancel,
  codexStatus,
  outcome,
  settled,
  startAuthWorld,
  startLogin,
  states,
  stored,
} from './auth-world.ts';

let world: AuthWorld;
afterEach(() => world.close());

async function open(options: WorldOptions = {}) {
  world = await startAuthWorld(options);
  return world.client();
}

/** Where browsers look for `localhost`, as far as this machine has it. */
const LOOPBACKS = ['127.0.0.1', '::1'].filter((address) =>
  Object.values(networkInterfaces()).some((known) => known?.some((one) => one.address === address)),
);
const WAITING = ['authorization_url', 'waiting'];
const CHECKED = [...WAITING, 'callback_received'];
const EXCHANGING = [...CHECKED, 'callback_accepted'];

describe('a sign-in', () => {
  test('succeeds when the browser comes back', async () => {
    const client = await open();
    expect(await codexStatus(client)).toEqual({
      provider_id: CODEX,
      auth_method: 'oauth',
      source: 'shared_store',
      readiness: 'missing',
      ready: false,
    });
    const login = await startLogin(client);
    const accepted = await client.ask('operation.lookup', {
      target_instance_id: client.instanceId,
      operation_id: login.operation,
    });
    expect(accepted.payload).toMatchObject({ state: 'accepted', result: { login_id: login.id } });
    const page = await fetch(await world.issuer.agree(login.url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('has arrived')]);
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
    expect(states(client, login.id)).toEqual([...EXCHANGING, 'exchange_succeeded']);
    const { error, result } = await settled(client, login.operation);
    expect([error, result]).toEqual([
      null,
      { login_id: login.id, status: 'completed', cleanup_complete: true },
    ]);
    expect(await codexStatus(client)).toMatchObject({ readiness: 'ready', ready: true });
    expect(stored(world.stateRoot).providers[CODEX]).toMatchObject({ type: 'oauth', account_id: ACCOUNT });
    expect(statSync(authFile(world.stateRoot)).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.stateRoot, 'auth')).mode & 0o777).toBe(0o700);
  });

  test('asks the issuer what the vendor documents, and tells events as the wire has them', async () => {
    const client = await open();
    const login = await startLogin(client);
    const url = new URL(login.url);
    expect(url.origin + url.pathname).toBe(`${world.issuer.url}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
      redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/auth\/callback$/),
      scope: 'openid profile email offline_access',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      id_token_add_organizations: 'true',
      codex_cli_simplified_flow: 'true',
      originator: 'magi-term',
    });
    await cancel(client, login.id);
    await outcome(client, login.id);
    for (const record of client.events) {
      const schema = record.event === 'auth.login.progress' ? loginProgress : loginTerminal;
      expect(schema.parse(record.payload)).toEqual(record.payload);
      expect(record).toMatchObject({
        session_id: null,
        operation_id: login.operation,
        grant_generation: null,
        live_sequence: null,
        connection_id: client.connectionId,
      });
    }
  });

  test.each([
    ['the whole address', (url: string) => url],
    ['the address as browsers show it', (url: string) => ` ${url.replace('http://', '')}\n`],
    ['the code', (url: string) => new URL(url).searchParams.get('code') ?? ''],
    [
      'the code with its state',
      (url: string) => {
        const { searchParams } = new URL(url);
        return `${searchParams.get('code')}#${searchParams.get('state')}`;
      },
    ],
  ])('succeeds with %s by hand', async (_, paste) => {
    const client = await open();
    const login = await startLogin(client);
    const response = await callback(client, login.id, paste(await world.issuer.agree(login.url)));
    expect(response.payload).toEqual({ login_id: login.id, status: 'submitted' });
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
    expect(states(client, login.id)).toEqual([...EXCHANGING, 'exchange_succeeded']);
    const place = client.records.indexOf(response);
    const received = client.records.findIndex(({ payload }) => payload?.state === 'callback_received');
    expect(place).toBeLessThan(received);
  });

  test.each([
    ['another state', async (url: string) => world.issuer.agree(url, { state: 'not-this-attempt' })],
    [
      'another path',
      async (url: string) => (await world.issuer.agree(url)).replace('/auth/callback', '/auth'),
    ],
    ['a code with another state', async () => 'code#not-this-attempt'],
    [
      'a refusal',
      async (url: string) => `${(await world.issuer.agree(url)).split('code=')[0]}error=access_denied`,
    ],
    ['words', async () => 'no code at all'],
  ])('fails for good after %s by hand', async (_, paste) => {
    const client = await open();
    const login = await startLogin(client);
    const response = await callback(client, login.id, await paste(login.url));
    expect(response.payload.status).toBe('submitted');
    expect(await outcome(client, login.id)).toBe('callback_failed');
    expect(states(client, login.id)).toEqual([...CHECKED, 'callback_failed']);
    expect(await settled(client, login.operation)).toMatchObject({
      result: { login_id: login.id, status: 'failed', cleanup_complete: true },
      error: { code: 'internal_error' },
    });
    expect(world.issuer.tokenRequests).toEqual([]);
    expect((await callback(client, login.id, 'again')).error.code).toBe('unknown_login');
  });

  test.each(['error', 'garbage', 'no-account', 'foreign-token', 'huge'] as const)(
    'fails when the issuer answers with: %s',
    async (mood) => {
      const client = await open();
      world.issuer.token = mood;
      const login = await startLogin(client);
      await callback(client, login.id, await world.issuer.agree(login.url));
      expect(await outcome(client, login.id)).toBe('exchange_failed');
      expect(states(client, login.id)).toEqual([...EXCHANGING, 'exchange_failed']);
      expect(await codexStatus(client)).toMatchObject({ readiness: 'missing' });
    },
  );

  test('needs neither a lifetime nor a token type', async () => {
    const client = await open();
    world.issuer.expiresIn = null;
    world.issuer.tokenType = null;
    const login = await startLogin(client);
    await callback(client, login.id, await world.issuer.agree(login.url));
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
    expect(stored(world.stateRoot).providers[CODEX].expires).toBeGreaterThan(Date.now());
  });

  test('ends after five minutes without an answer', async () => {
    const clock = new ManualClock();
    const client = await open({ clock });
    const login = await startLogin(client);
    clock.advance(299_999);
    expect((await client.ask('session.active')).error).toBeNull();
    expect(states(client, login.id)).toEqual(WAITING);
    clock.advance(1);
    expect(await outcome(client, login.id)).toBe('callback_timeout');
    await expect(fetch(await world.issuer.agree(login.url))).rejects.toThrow();
  });

  test('gives a silent issuer half a minute', async () => {
    const clock = new ManualClock();
    const client = await open({ clock });
    world.issuer.token = 'silent';
    const login = await startLogin(client);
    await callback(client, login.id, await world.issuer.agree(login.url));
    await world.issuer.asked(1);
    clock.advance(29_999);
    expect((await client.ask('session.active')).error).toBeNull();
    expect(states(client, login.id)).toEqual(EXCHANGING);
    clock.advance(1);
    expect(await outcome(client, login.id)).toBe('exchange_failed');
  });

  test.each(LOOPBACKS)('works by hand when the port is taken on %s', async (loopback) => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, loopback, resolve));
    const { port } = blocker.address() as AddressInfo;
    world = await startAuthWorld({ env: { MAGI_TERM_OAUTH_CALLBACK_PORT: String(port) } });
    const client = await world.client();
    const login = await startLogin(client);
    const waiting = await client.event('auth.login.progress', ({ state }) => state === 'waiting');
    expect(waiting.payload.notice).toContain(`Port ${port} of this machine is taken`);
    const address = await world.issuer.agree(login.url);
    expect(address).toContain(`http://localhost:${port}/auth/callback?`);
    await callback(client, login.id, address);
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
    await new Promise((resolve) => blocker.close(resolve));
  });
});

describe('the callback page', () => {
  test('takes one answer of this attempt, and nothing else', async () => {
    const client = await open();
    world.issuer.token = 'held';
    const login = await startLogin(client);
    const address = await world.issuer.agree(login.url);
    const foreign = await fetch(await world.issuer.agree(login.url, { state: 'not-this-attempt' }));
    expect([foreign.status, await foreign.text()]).toEqual([400, expect.not.stringContaining('not-this')]);
    expect((await fetch(address.replace('/auth/callback', '/'))).status).toBe(404);
    expect((await fetch(address, { method: 'POST' })).status).toBe(405);
    expect(states(client, login.id)).toEqual(WAITING);
    const page = await fetch(address);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    await world.issuer.asked(1);
    expect((await fetch(address)).status).toBe(400);
    expect((await callback(client, login.id, address)).error.code).toBe('auth_busy');
    world.issuer.release();
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
    expect(world.issuer.tokenRequests).toHaveLength(1);
  });

  test('a refusal by the person ends the attempt', async () => {
    const client = await open();
    const login = await startLogin(client);
    const address = new URL(await world.issuer.agree(login.url));
    address.searchParams.delete('code');
    address.searchParams.set('error', 'access_denied');
    const page = await fetch(address);
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('was refused')]);
    expect(await outcome(client, login.id)).toBe('callback_failed');
  });
});
