/** How much at once: requests, bytes, connections, busy reads (PROTOCOL.md, "Queues and timers", "Limits"). */
import { describe, expect, test } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { failureOf } from '../client/helpers.ts';
import { codeOf, RawPeer } from './raw-peer.ts';
import { scenes } from './scene.ts';

const scene = scenes();

describe('requests', () => {
  test('more than 32 open ones close the socket', async () => {
    const peer = await (await scene()).peer();
    const burst = Array.from({ length: 60 }, () => `${JSON.stringify(peer.request('session.active'))}\n`);
    peer.write(burst.join(''));
    await peer.ended;
    expect(peer.records.length).toBeLessThan(60);
  });

  test('200 at once through the client are all answered, and it goes on', async () => {
    const connection = await (await scene()).connect();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        connection.request(index % 2 === 0 ? 'session.active' : 'capabilities', {}),
      ),
    );
    expect(answers).toHaveLength(200);
    expect(answers[198]).toEqual({ sessions: [] });
    expect(answers[199]).toEqual(connection.service.capabilities);
    expect(await connection.request('session.active', {})).toEqual({ sessions: [] });
  });

  test('a line of 65536 bytes is read, one byte more closes the socket', async () => {
    const opened = await scene();
    const peer = await opened.peer();
    peer.write(`${'x'.repeat(65_536)}\n`);
    expect(codeOf(await peer.find(({ error = null }) => error !== null))).toBe('invalid_json');
    const other = await opened.peer();
    const before = other.records.length;
    other.write(`${'x'.repeat(65_537)}\n`);
    await other.ended;
    expect(other.records).toHaveLength(before);
  });
});

describe('connections', () => {
  test('the 17th is greeted and closed; it has room when another one ends', async () => {
    const opened = await scene();
    const [first] = await Promise.all(Array.from({ length: 16 }, () => opened.connect()));
    const peer = await opened.peer(RawPeer.greeted);
    await peer.ended;
    expect(peer.records).toEqual([expect.objectContaining({ status: 'ready' })]);
    const { endpoint } = opened.daemon;
    expect((await failureOf(openConnection(endpoint))).code).toBe('endpoint_closed');
    first?.close();
    let room = await opened.connect().catch(() => null);
    while (room === null) room = await opened.connect().catch(() => null);
    expect(await room.request('status', {})).toMatchObject({ connected_clients: 16 });
  });
});

describe('reads that the daemon does one at a time', () => {
  test('all succeed through clients that ask at once', async () => {
    const opened = await scene();
    const clients = [await opened.connect(), await opened.connect()];
    const asked = clients.flatMap((client) => Array.from({ length: 12 }, () => client.request('status', {})));
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ service: 'ready' });
    const read = clients.flatMap((client) =>
      Array.from({ length: 6 }, () => client.request('config.get', {})),
    );
    for (const answer of await Promise.all(read)) expect(answer).toMatchObject({ fast: false });
  });

  test('collide without the client’s patience', async () => {
    const peer = await (await scene()).peer();
    const requests = Array.from({ length: 8 }, () => peer.request('status'));
    peer.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    const isAnswer = ({ request_id }: { request_id?: unknown }) =>
      requests.some((request) => request.request_id === request_id);
    await peer.find(() => peer.records.filter(isAnswer).length === requests.length);
    const codes = peer.records.filter(isAnswer).map(codeOf);
    expect(new Set(codes)).toEqual(new Set([null, 'auth_busy']));
  });
});
