import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERRORS } from '../../../src/wire/errors.ts';
import { LIMITS } from '../../../src/wire/limits.ts';
import { EVENTS, OPERATIONS } from '../../../src/wire/operations.ts';
import { preflight } from '../../../src/wire/preflight.ts';
import { createSession, op, type Rec, startWorld, VERSION, type WireClient, type World } from '../harness.ts';

let world: World;
let client: WireClient;
beforeAll(async () => {
  world = await startWorld();
  client = await world.client();
});
afterAll(() => world.close());

const ZERO = '00000000-0000-4000-8000-000000000000';
const control = { grant_id: 'g', generation: 1 };
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('initialize', () => {
  test('advertises exactly what there is, and passes the preflight of clients', async () => {
    const fresh = world.hello('connect');
    const { payload } = await fresh.initialize();
    expect(payload.capabilities.operations).toEqual(Object.keys(OPERATIONS));
    expect(payload.capabilities.events).toEqual(Object.keys(EVENTS));
    expect(payload.limits).toEqual({ ...LIMITS, max_operation_entries: 4_096 });
    expect(payload.capabilities.limits).toEqual(payload.limits);
    expect(preflight(payload, { identity: world, version: VERSION })).toBeNull();
    expect((await fresh.ask('capabilities')).payload).toEqual(payload.capabilities);
  });

  test.each([
    [{}, 'invalid_payload'],
    [{ supported_protocol_versions: [2], requested_capabilities: null }, 'invalid_payload'],
    [{ supported_protocol_versions: [] }, 'unsupported_version'],
    [{ supported_protocol_versions: [1, 3] }, 'unsupported_version'],
    [{ supported_protocol_versions: [2, 2, 2, 2, 2, 2, 2, 2, 2] }, 'limit_exceeded'],
    [
      { supported_protocol_versions: [2], requested_capabilities: ['application_resources_v1'] },
      'unsupported_capability',
    ],
    [
      { supported_protocol_versions: [2], requested_capabilities: ['session_protocol_v2', 'turn.steer'] },
      'unsupported_capability',
    ],
    [
      { supported_protocol_versions: [2], requested_capabilities: ['turn.started'] },
      'unsupported_capability',
    ],
  ])('refuses %j with %s and may be tried again', async (payload, code) => {
    const fresh = world.hello('connect');
    const response = await fresh.ask('initialize', payload);
    expect(response.error.code).toBe(code);
    expect([typeof response.instance_id, typeof response.connection_id]).toEqual(['string', 'string']);
    expect((await fresh.initialize()).error).toBeNull();
  });

  test('comes before everything else', async () => {
    const fresh = world.hello('connect');
    expect((await fresh.ask('status')).error.code).toBe('not_initialized');
    expect((await fresh.ask('status', {}, { operation_id: 'x' })).error.code).toBe('invalid_payload');
    const slots = { instance_id: client.instanceId };
    expect((await fresh.ask('initialize', { supported_protocol_versions: [2] }, slots)).error.code).toBe(
      'invalid_request',
    );
  });
});

describe('the ladder', () => {
  test.each<[string, Rec, string]>([
    ['another version', { protocol_version: 3 }, 'unsupported_version'],
    ['a version that is none', { protocol_version: 70_000 }, 'invalid_request'],
    ['another kind', { kind: 'event' }, 'invalid_request'],
    ['an empty session ID', { session_id: '' }, 'invalid_request'],
    ['a long operation ID', { operation_id: 'x'.repeat(129) }, 'invalid_request'],
    ['a long method', { method: 'x'.repeat(65) }, 'invalid_request'],
    ['control of another shape', { control: { grant_id: 'g' } }, 'invalid_request'],
    ['deep nesting', { payload: nested(34) }, 'limit_exceeded'],
    ['a long string', { payload: { a: 'x'.repeat(16_385) } }, 'limit_exceeded'],
    ['many items', { payload: { a: Array(65).fill(0) } }, 'limit_exceeded'],
    [
      'a large payload',
      { payload: { a: 'x'.repeat(16_000), b: 'x'.repeat(16_000), c: 'x'.repeat(800) } },
      'payload_too_large',
    ],
    ['an unknown method', { method: 'session.open' }, 'unsupported_operation'],
    ['an empty method', { method: '' }, 'unsupported_operation'],
    ['a slot too many', { control }, 'invalid_payload'],
    ['a missing operation ID', { method: 'session.create' }, 'invalid_payload'],
    [
      'generation 0',
      {
        method: 'session.detach',
        session_id: 's',
        operation_id: 'o',
        control: { grant_id: 'g', generation: 0 },
      },
      'invalid_payload',
    ],
    ['a payload of another shape', { payload: { a: 1 } }, 'invalid_payload'],
    [
      'initialize again',
      { method: 'initialize', payload: { supported_protocol_versions: [2] } },
      'already_initialized',
    ],
    ['another instance', { instance_id: ZERO }, 'stale_instance'],
    ['no instance', { instance_id: null }, 'stale_instance'],
    ['another connection', { connection_id: ZERO }, 'stale_connection'],
    ['a sign-in without an operation', { method: 'auth.login.start' }, 'invalid_payload'],
  ])('answers %s', async (_, change, code) => {
    const envelope = client.envelope('status', {}, change);
    client.send(envelope);
    const response = await client.response(envelope.request_id);
    expect(response).toEqual({
      protocol_version: 2,
      kind: 'response',
      instance_id: client.instanceId,
      connection_id: client.connectionId,
      request_id: envelope.request_id,
      session_id: envelope.session_id === '' ? null : envelope.session_id,
      operation_id: (envelope.operation_id ?? '').length > 128 ? null : envelope.operation_id,
      method: envelope.method === '' || envelope.method.length > 64 ? null : envelope.method,
      payload: null,
      error: { code, message: ERRORS[code as keyof typeof ERRORS].message },
    });
  });

  test.each([
    ['an empty line', '', 'invalid_json'],
    ['a duplicate member', '{"request_id":"d","request_id":"d"}', 'invalid_json'],
    ['a lone surrogate', '{"request_id":"\\ud800"}', 'invalid_json'],
    ['another object', '{"request_id":"d2","hello":"world"}', 'invalid_request'],
    ['no object', '[1]', 'invalid_request'],
  ])('answers %s and goes on', async (_, line, code) => {
    const before = client.records.length;
    client.raw(`${line}\n`);
    const response = await client.until(() => client.records[before]);
    expect([response.request_id, response.error.code]).toEqual([line.includes('d2') ? 'd2' : null, code]);
  });

  test('turn.start looks at the prompt before it looks at anything else', async () => {
    const slots = () => ({ operation_id: 'never', session_id: 's', control });
    for (const [prompt, code] of [
      [' \n', 'invalid_payload'],
      ['/side', 'unsupported_operation'],
      ['  /side with text', 'unsupported_operation'],
      ['/sidecar', 'stale_grant'],
    ] as const)
      expect((await client.ask('turn.start', { prompt }, slots())).error.code).toBe(code);
    const lookup = { target_instance_id: client.instanceId, operation_id: 'never' };
    expect((await client.ask('operation.lookup', lookup)).payload.state).toBe('rejected');
  });

  test('a request ID is one request at a time', async () => {
    const fresh = await world.client();
    const one = fresh.envelope('catalog.providers', {}, { request_id: 'dup' });
    const two = fresh.envelope('capabilities', {}, { request_id: 'dup' });
    fresh.raw(`${JSON.stringify(one)}\n${JSON.stringify(two)}\n`);
    await fresh.until(() => fresh.records.filter((r) => r.request_id === 'dup').length === 2);
    const [first, second] = fresh.records.filter((r) => r.request_id === 'dup');
    expect([first.method, first.error?.code]).toEqual(['capabilities', 'duplicate_request_id']);
    expect([second.method, second.error]).toEqual(['catalog.providers', null]);
    expect((await fresh.ask('status', {}, { request_id: 'dup' })).request_id).toBe('dup');
  });

  test('33 requests at once end the connection, 32 do not', async () => {
    const many = async (count: number) => {
      const fresh = await world.client();
      const lines = Array.from({ length: count }, () => JSON.stringify(fresh.envelope('status', {})));
      fresh.raw(`${lines.join('\n')}\n`);
      return fresh;
    };
    const good = await many(32);
    await good.until(() => good.records.length === 34);
    const bad = await many(33);
    await bad.untilClosed();
  });

  test('a record of 65537 bytes ends the connection, one of 65536 does not', async () => {
    const good = await world.client();
    good.raw(`${'x'.repeat(65_536)}\n`);
    expect((await good.until(() => good.records.find((r) => r.error))).error.code).toBe('invalid_json');
    const bad = await world.client();
    bad.raw('x'.repeat(65_537));
    await bad.untilClosed();
  });
});

describe('operation identity', () => {
  test('same and other intent, lookups', async () => {
    const operation_id = op();
    const { payload } = await client.ask('session.create', {}, { operation_id });
    expect((await client.ask('session.create', {}, { operation_id })).error.code).toBe(
      'operation_already_known',
    );
    const set = await client.ask('config.set', { scope: 'global', fast: true }, { operation_id });
    expect(set.error.code).toBe('operation_identity_mismatch');
    const look = async (id: string, instance = client.instanceId) =>
      (await client.ask('operation.lookup', { target_instance_id: instance, operation_id: id })).payload;
    expect(await look(operation_id)).toEqual({
      target_instance_id: client.instanceId,
      operation_id,
      state: 'terminal',
      method: 'session.create',
      session_id: null,
      result: { status: 'completed', session_id: payload.session_id },
      error: null,
    });
    const scope = op();
    await client.ask('config.set', { scope: 'project', fast: true }, { operation_id: scope });
    expect(await look(scope)).toMatchObject({
      state: 'terminal',
      method: 'config.set',
      result: { status: 'failed' },
      error: { code: 'invalid_scope' },
    });
    expect(await look(operation_id, ZERO)).toMatchObject({ state: 'unknown', method: null, result: null });
  });

  test('sessions that are not there', async () => {
    const claimOf = (session_id: string) =>
      client.ask('session.claim', {}, { operation_id: op(), session_id });
    expect((await claimOf('no-such-session')).error.code).toBe('session_unavailable');
    expect((await claimOf('../x')).error.code).toBe('invalid_session_id');
    expect((await client.ask('session.replay', {}, { session_id: 'none' })).error.code).toBe(
      'session_unavailable',
    );
    const session_id = await createSession(client);
    expect((await client.ask('session.replay', { limit: 33 }, { session_id })).error.code).toBe(
      'limit_exceeded',
    );
    const late = await client.ask('turn.start', { prompt: 'x' }, { operation_id: op(), session_id, control });
    expect(late.error.code).toBe('stale_grant');
  });
});
