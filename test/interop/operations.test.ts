/** Operation identities and what is told of them later (PROTOCOL.md, "Operations and lookup"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { settleOperation } from '../../src/client/lookup.ts';
import { claimSession } from '../../src/client/session-control.ts';
import { failureOf } from '../client/helpers.ts';
import { slowly } from './model.ts';
import { keyOf } from './operation-key.ts';
import { codeOf } from './raw-peer.ts';
import { scenes } from './scene.ts';
import { Watch } from './watch.ts';

const scene = scenes();

describe('an operation ID', () => {
  test('that was used for the same is known, for something else it mismatches', async () => {
    const connection = await (await scene()).connect();
    const operationId = randomUUID();
    const { session_id: sessionId } = await connection.request('session.create', {}, { operationId });
    const again = connection.request('session.create', {}, { operationId });
    expect((await failureOf(again)).code).toBe('operation_already_known');
    const other = connection.request('session.claim', {}, { operationId, sessionId });
    expect((await failureOf(other)).code).toBe('operation_identity_mismatch');
    // Neither has changed what is known of the first.
    expect(await settleOperation(connection, keyOf(connection, operationId, 'session.create'))).toMatchObject(
      {
        state: 'terminal',
        result: { status: 'completed', session_id: sessionId },
      },
    );
  });

  test('is known to all connections', async () => {
    const opened = await scene();
    const first = await opened.connect();
    const second = await opened.connect();
    const operationId = randomUUID();
    await first.request('session.create', {}, { operationId });
    const again = second.request('session.create', {}, { operationId });
    expect((await failureOf(again)).code).toBe('operation_already_known');
    expect(await settleOperation(second, keyOf(second, operationId, 'session.create'))).toMatchObject({
      state: 'terminal',
    });
  });

  test('is used up by a refusal, but not by one of the slots', async () => {
    const opened = await scene();
    const connection = await opened.connect();
    const operationId = randomUUID();
    const claim = () =>
      connection.request('session.claim', {}, { operationId, sessionId: 'no-such-session' });
    expect((await failureOf(claim())).code).toBe('session_unavailable');
    expect((await failureOf(claim())).code).toBe('operation_already_known');

    const peer = await opened.peer();
    const unused = { operation_id: randomUUID() };
    expect(await peer.refusal('session.create', {}, { ...unused, session_id: 's' })).toBe('invalid_payload');
    expect(await peer.refusal('session.create', {}, unused)).toBeNull();
    // The members of a payload are only looked at when the ID is taken.
    const used = { operation_id: randomUUID() };
    expect(await peer.refusal('session.create', { colour: 'red' }, used)).toBe('invalid_payload');
    expect(await peer.refusal('session.create', {}, used)).toBe('operation_identity_mismatch');
    expect(
      await settleOperation(connection, keyOf(connection, used.operation_id, 'session.create')),
    ).toMatchObject({
      state: 'rejected',
      failure: { code: 'invalid_payload' },
    });
  });

  test('cannot be taken when 256 are remembered; what only reads goes on', async () => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    // Two are taken by then.
    for (let taken = 2; taken < 256; taken += 1) {
      const stale = { sessionId: session.sessionId, control: { grant_id: 'none', generation: 1 } };
      expect((await failureOf(connection.request('session.detach', {}, stale))).code).toBe('stale_grant');
    }
    expect((await failureOf(connection.request('session.create', {}))).code).toBe('operation_capacity');
    expect((await failureOf(session.detach())).code).toBe('operation_capacity');
    expect((await connection.request('session.active', {})).sessions).toHaveLength(1);
  });
});

describe('a lookup', () => {
  test('of nothing is unknown', async () => {
    const connection = await (await scene()).connect();
    const target = { target_instance_id: connection.service.instance_id, operation_id: randomUUID() };
    expect(await connection.request('operation.lookup', target)).toEqual({
      ...target,
      state: 'unknown',
      method: null,
      session_id: null,
      result: null,
      error: null,
    });
    expect(await settleOperation(connection, keyOf(connection, target.operation_id, 'session.create'))).toBe(
      'unknown',
    );
  });

  test('for another instance is unknown, whatever this one knows', async () => {
    const connection = await (await scene()).connect();
    const operationId = randomUUID();
    await connection.request('session.create', {}, { operationId });
    const target = { target_instance_id: randomUUID(), operation_id: operationId };
    expect(await connection.request('operation.lookup', target)).toMatchObject({
      ...target,
      state: 'unknown',
    });
  });

  test('of a running turn is accepted, then terminal', async () => {
    const opened = await scene(slowly);
    const { connection, session } = await opened.control();
    const watch = new Watch(session);
    const operationId = randomUUID();
    const turnId = await session.startTurn('speak', operationId);
    await watch.deltas(1);
    const target = { target_instance_id: connection.service.instance_id, operation_id: operationId };
    expect(await connection.request('operation.lookup', target)).toEqual({
      ...target,
      state: 'accepted',
      method: 'turn.start',
      session_id: session.sessionId,
      result: { turn_id: turnId },
      error: null,
    });
    await session.cancelTurn(turnId);
    await watch.terminal();
    expect(await connection.request('operation.lookup', target)).toMatchObject({
      state: 'terminal',
      result: { turn_id: turnId, status: 'cancelled', persistence: 'committed' },
      error: null,
    });
  });

  test('of what was refused is rejected, with the reason', async () => {
    const { connection, session } = await (await scene()).control();
    const operationId = randomUUID();
    const slots = { operationId, sessionId: session.sessionId };
    expect((await failureOf(connection.request('session.claim', {}, slots))).code).toBe('session_controlled');
    expect(
      await settleOperation(connection, keyOf(connection, operationId, 'session.claim', session.sessionId)),
    ).toMatchObject({
      state: 'rejected',
      failure: { code: 'session_controlled' },
    });
  });

  test('of a claim never gives the grant away', async () => {
    const opened = await scene();
    const connection = await opened.connect();
    const { session_id: sessionId } = await connection.request('session.create', {});
    const operationId = randomUUID();
    await connection.request('session.claim', {}, { operationId, sessionId });
    expect(
      await settleOperation(connection, keyOf(connection, operationId, 'session.claim', sessionId)),
    ).toEqual({
      state: 'terminal',
      result: { status: 'completed' },
      failure: null,
    });
    expect((await failureOf(claimSession(connection, sessionId))).code).toBe('session_controlled');
  });

  test('needs both names', async () => {
    const peer = await (await scene()).peer();
    const empty = await peer.ask('operation.lookup', { target_instance_id: '', operation_id: 'x' });
    expect(codeOf(empty)).toBe('invalid_payload');
    expect(await peer.refusal('operation.lookup', { operation_id: 'x' })).toBe('invalid_payload');
  });
});
