/** Sessions and who controls them (PROTOCOL.md, "Sessions", "Claim"). */
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../src/client/connection.ts';
import { sessionPages } from '../../src/client/list.ts';
import { claimSession } from '../../src/client/session-control.ts';
import { failureOf } from '../client/helpers.ts';
import { allOf, listed } from './history.ts';
import { scenes } from './scene.ts';
import { claimWhenFree } from './take-up.ts';

const scene = scenes();

async function create(connection: Connection): Promise<string> {
  return (await connection.request('session.create', {})).session_id;
}

describe('a session', () => {
  test('is created, listed, claimed, active and given back', async () => {
    const connection = await (await scene()).connect();
    expect(await listed(connection)).toEqual([]);
    const id = await create(connection);
    expect(await listed(connection)).toEqual([
      { session_id: id, title: null, updated_at: expect.any(String), ownership_hint: 'unowned' },
    ]);
    const session = await claimSession(connection, id);
    expect(session.snapshot).toEqual({
      instance_id: connection.service.instance_id,
      session_id: id,
      live_sequence: 0,
      phase: 'idle',
      turn: null,
      terminal: null,
      activity_replay_available: false,
    });
    expect(await connection.request('session.active', {})).toEqual({
      sessions: [{ session_id: id, controlled: true, phase: 'idle', turn_id: null }],
    });
    expect((await listed(connection))[0]?.ownership_hint).toBe('daemon-owned');
    await session.detach();
    expect(await connection.request('session.active', {})).toEqual({ sessions: [] });
    expect((await listed(connection))[0]?.ownership_hint).toBe('unowned');
  });

  test('is listed page by page, in the order of IDs', async () => {
    const connection = await (await scene()).connect();
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) ids.push(await create(connection));
    const pages = await allOf(sessionPages(connection));
    expect(pages.map(({ sessions }) => sessions.length)).toEqual([32, 8]);
    expect(pages.flatMap(({ sessions }) => sessions.map((one) => one.session_id))).toEqual(ids.toSorted());
  });

  test('that does not exist, or cannot, is refused', async () => {
    const connection = await (await scene()).connect();
    const codes = await Promise.all([
      failureOf(claimSession(connection, 'no-such-session')),
      failureOf(claimSession(connection, 'not/a/name')),
      failureOf(connection.request('session.replay', {}, { sessionId: 'no-such-session' })),
      failureOf(connection.request('session.replay', {}, { sessionId: 'not/a/name' })),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([
      'session_unavailable',
      'invalid_session_id',
      'session_unavailable',
      'invalid_session_id',
    ]);
  });

  test('beyond 16 that are held is neither claimed nor created', async () => {
    const connection = await (await scene()).connect();
    const spare = await create(connection);
    for (let held = 0; held < 16; held += 1) await claimSession(connection, await create(connection));
    expect((await failureOf(claimSession(connection, spare))).code).toBe('limit_exceeded');
    expect((await failureOf(create(connection))).code).toBe('limit_exceeded');
  });
});

describe('control', () => {
  test('is not given twice, not even to its holder', async () => {
    const { connection, session } = await (await scene()).control();
    expect((await failureOf(claimSession(connection, session.sessionId))).code).toBe('session_controlled');
  });

  test('of two who ask at once exactly one gets it; after a detach the other does', async () => {
    const opened = await scene();
    const first = await opened.connect();
    const second = await opened.connect();
    const id = await create(first);
    const both = await Promise.allSettled([claimSession(first, id), claimSession(second, id)]);
    const [winner] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const lost = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(lost).toEqual([expect.objectContaining({ code: 'session_controlled', uncertain: false })]);
    await winner?.detach();
    const loser = both[0].status === 'rejected' ? first : second;
    const next = await claimSession(loser, id);
    expect(next.grant.grant_id).not.toBe(winner?.grant.grant_id);
    expect(next.grant.generation).toBeGreaterThan(winner?.grant.generation ?? Number.NaN);
  });

  test('ends with the socket of its holder', async () => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    const other = await opened.connect();
    expect((await failureOf(claimSession(other, session.sessionId))).code).toBe('session_controlled');
    connection.close();
    const next = await claimWhenFree(other, session.sessionId);
    expect(next.grant.generation).toBeGreaterThan(session.grant.generation);
  });

  test('of a session that another daemon holds is refused', async () => {
    const opened = await scene();
    const { session } = await opened.control();
    const beside = await opened.startDaemon(opened.home.workspaceBeside('other'));
    const connection = await opened.connect(beside);
    expect((await listed(connection))[0]?.ownership_hint).toBe('daemon-owned');
    expect((await failureOf(claimSession(connection, session.sessionId))).code).toBe('session_busy');
    await session.detach();
    expect((await claimSession(connection, session.sessionId)).snapshot.phase).toBe('idle');
  });
});
