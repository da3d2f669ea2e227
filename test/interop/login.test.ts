/** Signing in and out, as far as it goes without the provider (PROTOCOL.md, "Authentication"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../src/client/connection.ts';
import type { WireEvent } from '../../src/client/decode.ts';
import { settleOperation } from '../../src/client/lookup.ts';
import { failureOf } from '../client/helpers.ts';
import { registerLink } from '../secrets/ledger.ts';
import { keyOf } from './operation-key.ts';
import { scenes } from './scene.ts';

const scene = scenes();
const CODEX = 'openai-codex';

/** A sign-in that this connection has begun, and its events. */
class Login {
  readonly events: WireEvent[] = [];
  readonly operationId = randomUUID();
  readonly #connection: Connection;
  #id = '';

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.onEvent((event) => this.events.push(event));
  }

  /** It waits for its callback when the promise resolves. */
  static async start(connection: Connection): Promise<Login> {
    const login = new Login(connection);
    const slots = { operationId: login.operationId };
    const started = await connection.request('auth.login.start', { provider_id: CODEX }, slots);
    expect(started).toEqual({ login_id: expect.any(String), provider_id: CODEX, status: 'started' });
    login.#id = started.login_id;
    await login.reaches('waiting');
    for (const { payload } of login.events)
      if ('url' in payload && payload.url !== undefined) registerLink(payload.url);
    return login;
  }

  get id(): string {
    return this.#id;
  }

  get states(): string[] {
    return this.events.map(({ payload }) => ('state' in payload ? payload.state : ''));
  }

  async reaches(state: string): Promise<void> {
    while (!this.states.includes(state))
      await new Promise<void>((resolve) => {
        const stop = this.#connection.onEvent(() => {
          stop();
          resolve();
        });
      });
  }

  callback(input: string): Promise<unknown> {
    return this.#connection.request('auth.login.callback', { login_id: this.#id, input });
  }

  cancel(): Promise<unknown> {
    return this.#connection.request('auth.login.cancel', { login_id: this.#id });
  }
}

describe('a sign-in', () => {
  test('gives an address, waits, and ends cancelled when it is given up', async () => {
    const connection = await (await scene()).connect();
    const login = await Login.start(connection);
    expect(await login.cancel()).toEqual({ login_id: login.id, status: 'cancellation_requested' });
    await login.reaches('cancelled');
    expect(login.states).toEqual(['authorization_url', 'waiting', 'cancelled']);
    const head = { sessionId: null, operationId: login.operationId, generation: null, liveSequence: null };
    expect(login.events.map(({ payload: _, event: __, ...slots }) => slots)).toEqual([head, head, head]);
    expect(login.events[0]?.payload).toEqual({
      login_id: login.id,
      provider_id: CODEX,
      state: 'authorization_url',
      url: expect.stringMatching(/^https:\/\/auth\.openai\.com\/oauth\/authorize\?.*state=/),
      open_browser: true,
    });
    expect(login.events.at(-1)?.payload).toMatchObject({ login_id: login.id, cleanup_complete: true });
    const key = keyOf(connection, login.operationId, 'auth.login.start');
    expect(await settleOperation(connection, key)).toMatchObject({
      state: 'terminal',
      result: { login_id: login.id, status: 'cancelled', cleanup_complete: true },
      failure: null,
    });
    expect((await failureOf(login.cancel())).code).toBe('unknown_login');
  });

  test('ends failed after a callback with a foreign state; the reason is in the event alone', async () => {
    const connection = await (await scene()).connect();
    const login = await Login.start(connection);
    const input = 'http://localhost:1455/auth/callback?code=invented&state=wrong';
    expect(await login.callback(input)).toEqual({ login_id: login.id, status: 'submitted' });
    await login.reaches('callback_failed');
    expect(login.states).toEqual(['authorization_url', 'waiting', 'callback_received', 'callback_failed']);
    const key = keyOf(connection, login.operationId, 'auth.login.start');
    expect(await settleOperation(connection, key)).toMatchObject({
      state: 'terminal',
      result: { status: 'failed' },
      failure: { code: 'internal_error' },
    });
  });

  test('is one at a time, belongs to its connection, and ends with it', async () => {
    const opened = await scene();
    const first = await opened.connect();
    const second = await opened.connect();
    const login = await Login.start(first);
    const again = { provider_id: CODEX };
    expect((await failureOf(second.request('auth.login.start', again))).code).toBe('auth_busy');
    expect((await failureOf(first.request('auth.login.start', again))).code).toBe('auth_busy');
    const callback = { login_id: login.id, input: 'invented' };
    expect((await failureOf(second.request('auth.login.callback', callback))).code).toBe('unknown_login');
    const cancel = { login_id: login.id };
    expect((await failureOf(second.request('auth.login.cancel', cancel))).code).toBe('unknown_login');

    first.close();
    const key = keyOf(second, login.operationId, 'auth.login.start');
    let settled = await settleOperation(second, key);
    while (settled === 'running') settled = await settleOperation(second, key);
    expect(settled).toMatchObject({ state: 'terminal', result: { status: 'cancelled' } });
    await (await Login.start(second)).cancel();
  });

  test('is offered for one provider only', async () => {
    const connection = await (await scene()).connect();
    const start = connection.request('auth.login.start', { provider_id: 'anthropic' });
    expect((await failureOf(start)).code).toBe('provider_unavailable');
  });
});

describe('signing out', () => {
  test('must be confirmed', async () => {
    const connection = await (await scene()).connect();
    for (const payload of [{ provider_id: CODEX }, { provider_id: CODEX, confirmed: false }])
      expect((await failureOf(connection.request('auth.logout', payload))).code).toBe(
        'confirmation_required',
      );
  });

  test('removes nothing where nobody had signed in', async () => {
    const connection = await (await scene()).connect();
    for (const provider_id of [CODEX, 'anthropic'])
      expect(await connection.request('auth.logout', { provider_id, confirmed: true })).toEqual({
        provider_id,
        status: 'logged_out',
        removed: false,
        environment_unchanged: true,
      });
    const unknown = connection.request('auth.logout', { provider_id: 'nobody', confirmed: true });
    expect((await failureOf(unknown)).code).toBe('provider_unavailable');
  });

  test('ends a sign-in that is waiting', async () => {
    const connection = await (await scene()).connect();
    const login = await Login.start(connection);
    await connection.request('auth.logout', { provider_id: CODEX, confirmed: true });
    await login.reaches('cancelled');
    expect(login.states).toEqual(['authorization_url', 'waiting', 'cancelled']);
  });
});
