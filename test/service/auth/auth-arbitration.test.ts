/** Who wins when a credential is just being stored (PROTOCOL.md, "Authentication"), with a store that waits for the test. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuthOperations } from '../../../src/service/auth/auth-operations.ts';
import { type AuthChange, AuthStore } from '../../../src/service/auth/auth-store.ts';
import { systemClock } from '../../../src/service/clock.ts';
import { OperationTable } from '../../../src/service/coordinator/operation-table.ts';
import { type MutationCall, type Reply, settle } from '../../../src/service/coordinator/reply.ts';
import type { EventRecord } from '../../../src/service/endpoint/out-queue.ts';
import { type LogFields, silentLog } from '../../../src/service/log.ts';
import type { Json } from '../../../src/wire/json.ts';
import type { Method } from '../../../src/wire/operations.ts';
import { discardFolder } from '../../secrets/ledger.ts';
import { OAuthIssuer } from '../../support/oauth-issuer.ts';
import { op } from '../harness.ts';
import { CODEX } from './auth-world.ts';

class HeldStore extends AuthStore {
  readonly storing: Promise<void>;
  /** What the store does in the end. */
  readonly go = Promise.withResolvers<'store' | 'throw'>();
  #reached: () => void = () => undefined;

  constructor(root: string) {
    super(root);
    this.storing = new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  override async putOAuth(...args: Parameters<AuthStore['putOAuth']>): Promise<AuthChange> {
    this.#reached();
    if ((await this.go.promise) === 'throw') throw new Error('made-up-secret in a message');
    return super.putOAuth(...args);
  }
}

let root: string;
let issuer: OAuthIssuer;
let store: HeldStore;
let auth: AuthOperations;
let events: EventRecord[];
let logged: string[];
let wake: () => void;
const table = new OperationTable(systemClock, () => undefined);

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'mt-auth-'));
  issuer = await OAuthIssuer.start();
  store = new HeldStore(root);
  events = [];
  logged = [];
  wake = () => undefined;
  const note = (message: string, fields: LogFields) => logged.push(JSON.stringify([message, fields]));
  const log = { ...silentLog, warn: note, error: note };
  const isProvider = () => true;
  auth = new AuthOperations({ instanceId: 'i', store, env: issuer.env, isProvider, clock: systemClock, log });
});
afterEach(async () => {
  await issuer.close();
  discardFolder(root);
});

const connection = {
  id: 'c',
  open: true,
  profile: false,
  whenRoomy: () => null,
  event: (record: EventRecord) => {
    events.push(record);
    wake();
    return 'queued' as const;
  },
};

function callOf(method: Method, payload: Json): MutationCall {
  const id = op();
  const reservation = table.reserve(id, { method, sessionId: null, payload });
  if (!reservation.ok) throw new Error(reservation.code);
  const request = {
    protocol_version: 2,
    kind: 'request',
    request_id: 'r',
    instance_id: 'i',
    connection_id: 'c',
  };
  const slots = { session_id: null, operation_id: id, control: null, method, payload };
  return { connection, request: { ...request, ...slots } as const, operation: reservation.operation };
}

function answered(call: MutationCall, reply: Reply): object {
  settle(call.operation, reply);
  if (!reply.ok) throw new Error(reply.code);
  reply.afterwards();
  return reply.payload;
}

async function eventOf(
  state: string,
): Promise<EventRecord & { payload: { url?: string; login_id?: string } }> {
  for (;;) {
    const found = events.find(({ payload }) => 'state' in payload && payload.state === state);
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** A sign-in whose credential is being stored, until the test lets it go. */
async function storing(): Promise<{ id: string; operation: string }> {
  const start = callOf('auth.login.start', { provider_id: CODEX });
  answered(start, auth.start(start));
  const { payload } = await eventOf('authorization_url');
  const id = payload.login_id ?? '';
  await eventOf('waiting');
  const submit = callOf('auth.login.callback', {
    login_id: id,
    input: await issuer.agree(payload.url ?? ''),
  });
  answered(submit, auth.callback(submit));
  await store.storing;
  return { id, operation: start.operation.id };
}

test('cancelling comes too late', async () => {
  const { id, operation } = await storing();
  const cancel = callOf('auth.login.cancel', { login_id: id });
  expect(answered(cancel, auth.cancel(cancel))).toEqual({ login_id: id, status: 'cancellation_requested' });
  auth.disconnect(connection);
  store.go.resolve('store');
  await eventOf('exchange_succeeded');
  expect(table.lookup(operation)).toMatchObject({
    state: 'terminal',
    result: { login_id: id, status: 'completed', cleanup_complete: true },
  });
});

test('signing out waits for the credential and removes it; nobody signs in meanwhile', async () => {
  await storing();
  const logout = callOf('auth.logout', { provider_id: CODEX, confirmed: true });
  const reply = auth.logout(logout);
  const again = callOf('auth.logout', { provider_id: CODEX, confirmed: true });
  expect(await auth.logout(again)).toMatchObject({ ok: false, code: 'auth_busy' });
  const start = callOf('auth.login.start', { provider_id: CODEX });
  expect(auth.start(start)).toMatchObject({ ok: false, code: 'auth_busy' });
  store.go.resolve('store');
  await eventOf('exchange_succeeded');
  expect(answered(logout, await reply)).toMatchObject({ removed: true });
  const read = store.read();
  expect(read.ok && read.auth.has(CODEX)).toBe(false);
});

test('a fault ends the sign-in, and its words stay out of the log', async () => {
  const { operation } = await storing();
  store.go.resolve('throw');
  await eventOf('internal_error');
  expect(table.lookup(operation)).toMatchObject({
    result: { status: 'failed' },
    error: { code: 'internal_error' },
  });
  expect(logged.join()).toContain('unexpectedly');
  expect(logged.join()).not.toContain('made-up-secret');
});
