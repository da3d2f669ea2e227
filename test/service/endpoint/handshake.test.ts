import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, VERSION, WireClient, type World } from '../harness.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('the handshake', () => {
  const reply = (status: string) => ({
    version: VERSION,
    workspace: world.workspace,
    state_root: world.stateRoot,
    status,
  });

  test.each([
    ['status', {}, 'ready'],
    ['connect', { version: '1' }, 'incompatible'],
    ['nonsense', { version: '1' }, 'incompatible'],
  ])('answers %s %j with %s', async (action, change, status) => {
    const client = world.hello(action, change);
    await client.untilClosed();
    expect(client.records).toEqual([reply(status)]);
  });

  test.each<[string, () => string]>([
    ['a folder that is not its own', () => JSON.stringify(hello({ workspace: '/' }))],
    ['a state root that is not its own', () => JSON.stringify(hello({ state_root: '/' }))],
    ['an unknown action', () => JSON.stringify(hello({ action: 'dance' }))],
    ['an extra member', () => JSON.stringify(hello({ more: '1' }))],
    ['a missing member', () => JSON.stringify({ version: VERSION })],
    ['a duplicate member', () => JSON.stringify(hello({})).replace('{', '{"action":"status",')],
    ['a byte order mark', () => `\ufeff${JSON.stringify(hello({}))}`],
    ['something else', () => 'GET / HTTP/1.1'],
    ['a line that is too long', () => JSON.stringify(hello({})).padEnd(4_097)],
  ])('closes on %s without a word', async (_, line) => {
    const client = new WireClient(world.service.socket);
    client.raw(`${line()}\n`);
    await client.untilClosed();
    expect(client.records).toEqual([]);
  });

  const hello = (change: object) => ({
    version: VERSION,
    workspace: world.workspace,
    state_root: world.stateRoot,
    action: 'status',
    ...change,
  });

  test('takes a line of exactly 4096 bytes, a CR, and paths by their parts', async () => {
    const client = new WireClient(world.service.socket);
    client.raw(`${JSON.stringify(hello({ workspace: `${world.workspace}/.` })).padEnd(4_095)}\r\n`);
    await client.untilClosed();
    expect(client.records).toEqual([reply('ready')]);
  });

  test('takes a request that comes in the same packet', async () => {
    const client = new WireClient(world.service.socket);
    const request = client.envelope('initialize', { supported_protocol_versions: [2] });
    client.raw(`${JSON.stringify(hello({ action: 'connect' }))}\n${JSON.stringify(request)}\n`);
    const response = await client.response(request.request_id);
    expect(response.error).toBeNull();
    client.socket.destroy();
  });

  test('says ready to the seventeenth client, and no more', async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => world.client()));
    const late = world.hello('connect');
    await late.untilClosed();
    expect(late.records).toEqual([reply('ready')]);
    const [first] = clients;
    const status = await first?.ask('status');
    expect(status.payload.connected_clients).toBe(16);
    for (const client of clients) client.socket.destroy();
  });

  test('closes the 33rd socket at once', async () => {
    const sockets = Array.from({ length: 32 }, () => connect(world.service.socket));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    const late = new WireClient(world.service.socket);
    await late.untilClosed();
    expect(late.records).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });
});
