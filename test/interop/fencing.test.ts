/** What the daemon refuses, in its own words (PROTOCOL.md, "Errors", "Envelopes"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, errorOf } from '../../src/wire/errors.ts';
import type { Json } from '../../src/wire/json.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';
import { codeOf, RawPeer } from './raw-peer.ts';
import { scenes } from './scene.ts';

const scene = scenes();

const mutation = () => ({ operation_id: randomUUID() });

describe('a request', () => {
  type Row = readonly [code: ErrorCode, name: string, method: string, payload: Json, slots: JsonObject];
  const ID = 'i'.repeat(129);
  const rows: readonly Row[] = [
    ['stale_instance', 'another instance', 'session.active', {}, { instance_id: randomUUID() }],
    ['stale_instance', 'no instance', 'session.active', {}, { instance_id: null }],
    ['stale_connection', 'another connection', 'session.active', {}, { connection_id: randomUUID() }],
    ['stale_connection', 'no connection', 'session.active', {}, { connection_id: null }],
    ['unsupported_operation', 'an unknown method', 'session.open', {}, {}],
    ['unsupported_version', 'version 1', 'session.active', {}, { protocol_version: 1 }],
    ['invalid_payload', 'a member too many', 'session.active', { colour: 'red' }, {}],
    ['invalid_payload', 'a mutation without an operation', 'session.create', {}, {}],
    ['invalid_payload', 'a read with an operation', 'session.active', {}, mutation()],
    ['invalid_payload', 'a claim without a session', 'session.claim', {}, mutation()],
    ['invalid_payload', 'a cancel without control', 'turn.cancel', {}, { ...mutation(), session_id: 's' }],
    ['invalid_request', 'a slot too many', 'session.active', {}, { colour: 'red' }],
    ['invalid_request', 'another kind', 'session.active', {}, { kind: 'event' }],
    ['invalid_request', 'a long operation ID', 'session.create', {}, { operation_id: ID }],
    ['invalid_request', 'a long method', 'm'.repeat(65), {}, {}],
    [
      'invalid_request',
      'a control of strings',
      'session.active',
      {},
      { control: { grant_id: 'g', generation: '1' } },
    ],
    ['limit_exceeded', 'an array of 65', 'session.active', { many: Array.from({ length: 65 }, () => 0) }, {}],
    [
      'payload_too_large',
      'a payload over 32 KiB',
      'session.active',
      { a: 'x'.repeat(16_384), b: 'x'.repeat(16_384) },
      {},
    ],
  ];
  test.each(rows)('%s: %s', async (code, _name, method, payload, slots) => {
    const peer = await (await scene()).peer();
    const answer = await peer.ask(method, payload, slots);
    expect(answer).toMatchObject({ payload: null, error: errorOf(code) });
    // It goes on after a refusal.
    expect(await peer.refusal('session.active')).toBeNull();
  });

  test('invalid_request with a request ID of 129 bytes, which is not repeated', async () => {
    const peer = await (await scene()).peer();
    peer.send(peer.request('session.active', {}, { request_id: ID }));
    const answer = await peer.find(({ error = null }) => error !== null);
    expect(answer).toMatchObject({ request_id: null, error: errorOf('invalid_request') });
  });

  test.each(['{', '', '{"a":1,"a":2}', '"\\ud800"', '1e400'])('invalid_json: %j', async (line) => {
    const peer = await (await scene()).peer();
    peer.write(`${line}\n`);
    const answer = await peer.find(({ error = null }) => error !== null);
    const nothing = { request_id: null, session_id: null, operation_id: null, method: null };
    expect(answer).toMatchObject({ ...nothing, error: errorOf('invalid_json') });
  });

  test('not_initialized: anything before initialize, after its slots were checked', async () => {
    const peer = await (await scene()).peer(RawPeer.greeted);
    const ids = { instance_id: randomUUID(), connection_id: randomUUID() };
    expect(await peer.refusal('session.active', {}, ids)).toBe('not_initialized');
    expect(await peer.refusal('session.create', {}, { ...ids, ...mutation() })).toBe('not_initialized');
    expect(await peer.refusal('session.create', {}, ids)).toBe('invalid_payload');
  });

  test('duplicate_request_id: a second one while the first is open', async () => {
    const peer = await (await scene()).peer();
    const status = `${JSON.stringify(peer.request('status'))}\n`;
    const { request_id } = objectOf(JSON.parse(status));
    peer.write(status + status);
    const answers = () => peer.records.filter((record) => record.request_id === request_id);
    await peer.find(() => answers().length === 2);
    expect(new Set(answers().map(codeOf))).toEqual(new Set([null, 'duplicate_request_id']));
  });
});

describe('stale_grant', () => {
  /** A session and who controls it. */
  async function controlled(): Promise<{ peer: RawPeer; session_id: Json; control: JsonObject }> {
    const peer = await (await scene()).peer();
    const { payload: created } = await peer.ask('session.create', {}, mutation());
    const { session_id = null } = objectOf(created ?? null);
    const { payload: claimed } = await peer.ask('session.claim', {}, { ...mutation(), session_id });
    const { grant_id = null, generation = null } = objectOf(claimed ?? null);
    return { peer, session_id, control: { grant_id, generation } };
  }

  test('another grant, another generation, or one that was given back', async () => {
    const { peer, session_id, control } = await controlled();
    const detach = (changes: JsonObject) =>
      peer.refusal('session.detach', {}, { ...mutation(), session_id, control: { ...control, ...changes } });
    expect(await detach({ grant_id: randomUUID() })).toBe('stale_grant');
    expect(await detach({ generation: Number(control.generation) + 1 })).toBe('stale_grant');
    expect(await detach({ generation: 0 })).toBe('invalid_payload');
    expect(await detach({})).toBeNull();
    expect(await detach({})).toBe('stale_grant');
    const start = { ...mutation(), session_id, control };
    expect(await peer.refusal('turn.start', { prompt: 'hello' }, start)).toBe('stale_grant');
  });

  test('on a session that was never claimed', async () => {
    const { peer, control } = await controlled();
    const { payload } = await peer.ask('session.create', {}, mutation());
    const { session_id = null } = objectOf(payload ?? null);
    expect(await peer.refusal('session.detach', {}, { ...mutation(), session_id, control })).toBe(
      'stale_grant',
    );
  });
});
