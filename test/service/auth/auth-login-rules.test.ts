/** Who may do what to a sign-in, how it is called off, and what the store has to say (PROTOCOL.md, "Authentication"). */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AuthStore } from '../../../src/service/auth/auth-store.ts';
import { op, type WorldOptions } from '../harness.ts';
import {
  type AuthWorld,
  authFile,
  CODEX,
  callback,
  cancel,
  codexStatus,
  outcome,
  settled,
  start,
  startAuthWorld,
  startLogin,
  states,
} from './auth-world.ts';

let world: AuthWorld;
afterEach(() => world.close());

async function open(options: WorldOptions = {}) {
  world = await startAuthWorld(options);
  return world.client();
}

describe('what is refused', () => {
  test('another provider, another shape, a second sign-in', async () => {
    const client = await open();
    const ask = (payload: unknown) => client.ask('auth.login.start', payload, { operation_id: op() });
    expect((await ask({ provider_id: 'anthropic' })).error.code).toBe('provider_unavailable');
    expect((await ask({ provider_id: CODEX, more: 1 })).error.code).toBe('invalid_payload');
    expect((await ask({})).error.code).toBe('invalid_payload');
    await startLogin(client);
    expect((await start(client)).error.code).toBe('auth_busy');
    expect((await start(await world.client())).error.code).toBe('auth_busy');
  });

  test('a second answer, an empty one, one that is too long', async () => {
    const client = await open();
    world.issuer.token = 'held';
    const login = await startLogin(client);
    expect((await callback(client, login.id, '')).error.code).toBe('invalid_payload');
    expect((await callback(client, login.id, 'x'.repeat(4_097))).error.code).toBe('invalid_payload');
    expect((await callback(client, 'another', 'code')).error.code).toBe('unknown_login');
    const address = await world.issuer.agree(login.url);
    const both = await Promise.all([
      callback(client, login.id, address),
      callback(client, login.id, address),
    ]);
    expect(both.map(({ error }) => error?.code ?? null)).toEqual([null, 'auth_busy']);
    world.issuer.release();
    expect(await outcome(client, login.id)).toBe('exchange_succeeded');
    expect((await callback(client, login.id, address)).error.code).toBe('unknown_login');
    expect((await cancel(client, login.id)).error.code).toBe('unknown_login');
  });

  test('everybody but the initiator, whatever they send', async () => {
    const client = await open();
    const other = await world.client();
    const login = await startLogin(client);
    expect((await callback(other, login.id, 'code')).error.code).toBe('unknown_login');
    expect((await cancel(other, login.id)).error.code).toBe('unknown_login');
    const shapeless = await other.ask('auth.login.callback', { nothing: 1 }, { operation_id: op() });
    expect(shapeless.error.code).toBe('unknown_login');
    const own = await client.ask('auth.login.callback', { nothing: 1 }, { operation_id: op() });
    expect(own.error.code).toBe('invalid_payload');
    await cancel(client, login.id);
    await outcome(client, login.id);
    expect(other.events).toEqual([]);
  });

  test('a sign-in to an issuer that is neither https nor on this machine', async () => {
    world = await startAuthWorld({ env: { MAGI_TERM_OAUTH_ISSUER: 'http://login.example.test' } });
    expect((await start(await world.client())).error.code).toBe('internal_error');
  });
});

describe('cancelling', () => {
  test('before there is an address', async () => {
    const client = await open();
    const operation_id = op();
    const envelope = client.envelope('auth.login.start', { provider_id: CODEX }, { operation_id });
    client.send(envelope);
    const { payload } = await client.response(envelope.request_id);
    await cancel(client, payload.login_id);
    expect(await outcome(client, payload.login_id)).toBe('cancelled');
  });

  test('while it waits, and beginning again', async () => {
    const client = await open();
    const login = await startLogin(client);
    const response = await cancel(client, login.id);
    expect(response.payload).toEqual({ login_id: login.id, status: 'cancellation_requested' });
    expect(await outcome(client, login.id)).toBe('cancelled');
    expect(client.records.indexOf(response)).toBeLessThan(
      client.records.findIndex(({ event }) => event === 'auth.login.terminal'),
    );
    expect(await settled(client, login.operation)).toMatchObject({
      result: { status: 'cancelled', cleanup_complete: true },
      error: null,
    });
    const again = await startLogin(client);
    expect(new URL(again.url).searchParams.get('state')).not.toBe(
      new URL(login.url).searchParams.get('state'),
    );
    await callback(client, again.id, await world.issuer.agree(again.url));
    expect(await outcome(client, again.id)).toBe('exchange_succeeded');
  });

  test('during the exchange', async () => {
    const client = await open();
    world.issuer.token = 'silent';
    const login = await startLogin(client);
    await callback(client, login.id, await world.issuer.agree(login.url));
    await world.issuer.asked(1);
    await cancel(client, login.id);
    expect(await outcome(client, login.id)).toBe('cancelled');
    expect(await codexStatus(client)).toMatchObject({ readiness: 'missing' });
  });

  test('when the initiator is gone; others learn it by lookup', async () => {
    const client = await open();
    const other = await world.client();
    const login = await startLogin(client);
    client.socket.destroy();
    expect(await settled(other, login.operation)).toMatchObject({
      method: 'auth.login.start',
      result: { login_id: login.id, status: 'cancelled', cleanup_complete: true },
      error: null,
    });
    expect(other.events).toEqual([]);
    await startLogin(other);
  });
});

describe('the end of the service', () => {
  test('waits for a sign-in', async () => {
    const client = await open();
    const other = await world.client();
    const login = await startLogin(client);
    world.issuer.token = 'held';
    const stop = world.hello('stop');
    await stop.untilClosed();
    expect(stop.records[0].status).toBe('busy');
    expect((await other.ask('status')).payload.admitted_operations).toBe(1);
    const shutdown = world.service.shutdown('test');
    expect(await outcome(client, login.id)).toBe('cancelled');
    await shutdown;
  });
});

describe('the store', () => {
  test('refuses a sign-in when another change came first', async () => {
    const client = await open();
    const login = await startLogin(client);
    await new AuthStore(world.stateRoot).remove(CODEX);
    await callback(client, login.id, await world.issuer.agree(login.url));
    expect(await outcome(client, login.id)).toBe('auth_changed');
    expect(states(client, login.id)).toEqual([
      'authorization_url',
      'waiting',
      'callback_received',
      'callback_accepted',
      'auth_changed',
    ]);
    expect(await codexStatus(client)).toMatchObject({ readiness: 'missing' });
  });

  test('keeps the rest when it cannot be written', async () => {
    const client = await open();
    const login = await startLogin(client);
    rmSync(join(world.stateRoot, 'auth'), { recursive: true, force: true });
    writeFileSync(join(world.stateRoot, 'auth'), 'in the way');
    await callback(client, login.id, await world.issuer.agree(login.url));
    expect(await outcome(client, login.id)).toBe('storage_failed');
  });

  test('that is broken is said at every door and never rewritten', async () => {
    const client = await open();
    const file = authFile(world.stateRoot);
    mkdirSync(join(world.stateRoot, 'auth'), { mode: 0o700 });
    writeFileSync(file, '{ "version": 1, ', { mode: 0o600 });
    const answers = [
      await start(client),
      await client.ask('auth.status'),
      await client.ask('status'),
      await client.ask('auth.logout', { provider_id: CODEX, confirmed: true }, { operation_id: op() }),
    ];
    expect(answers.map(({ error }) => error?.code)).toEqual(Array(4).fill('internal_error'));
    expect((await client.ask('config.get')).error).toBeNull();
    rmSync(file);
    expect(await codexStatus(client)).toMatchObject({ readiness: 'missing' });
  });
});
