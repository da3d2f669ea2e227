/** What the daemon says of itself, and whether the client trusts it (PROTOCOL.md, "Initialize", "Preflight"). */
import { describe, expect, test } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { pathId } from '../../src/wire/identity.ts';
import { LIMITS } from '../../src/wire/limits.ts';
import { isEventName, isMethod } from '../../src/wire/operations.ts';
import { failureOf } from '../client/helpers.ts';
import { INITIALIZE, RawPeer } from './raw-peer.ts';
import { scenes } from './scene.ts';

const scene = scenes();

const METHODS = [
  'initialize',
  'status',
  'capabilities',
  'session.list',
  'session.create',
  'session.active',
  'session.claim',
  'session.detach',
  'session.replay',
  'turn.start',
  'turn.cancel',
  'operation.lookup',
  'auth.status',
  'auth.login.start',
  'auth.login.callback',
  'auth.login.cancel',
  'auth.logout',
  'catalog.providers',
  'catalog.models',
  'catalog.refresh',
  'config.get',
  'config.set',
];
const EVENTS = [
  'turn.started',
  'turn.assistant_delta',
  'turn.activity',
  'turn.terminal',
  'auth.login.progress',
  'auth.login.terminal',
];

describe('initialize', () => {
  test('passes the preflight, with exactly our limits, and 22 operations and 6 events that we know', async () => {
    const opened = await scene();
    const { service } = await opened.connect();
    expect(service.limits).toEqual(LIMITS);
    expect(service.capabilities.limits).toEqual(LIMITS);
    expect(service.capabilities.operations).toEqual(METHODS);
    expect(service.capabilities.events).toEqual(EVENTS);
    expect([METHODS.every(isMethod), EVENTS.every(isEventName)]).toEqual([true, true]);
    expect(service.workspace_id).toBe(pathId(opened.home.identity.workspace));
    expect(service.state_root_id).toBe(pathId(opened.home.identity.stateRoot));
  });

  test('tells the same capabilities as the operation', async () => {
    const connection = await (await scene()).connect();
    expect(await connection.request('capabilities', {})).toEqual(connection.service.capabilities);
  });

  test('instance is that of the process, connection that of the socket', async () => {
    const opened = await scene();
    const first = (await opened.connect()).service;
    const second = (await opened.connect()).service;
    expect(second.instance_id).toBe(first.instance_id);
    expect(second.connection_id).not.toBe(first.connection_id);
    const status = await (await opened.connect()).request('status', {});
    expect(status).toMatchObject({ service: 'ready', instance_id: first.instance_id, connected_clients: 3 });
  });

  test('operations can be required, anything else is refused', async () => {
    const { daemon } = await scene();
    const good = await openConnection({ ...daemon.endpoint, capabilities: ['turn.start', 'config.set'] });
    good.close();
    for (const name of ['turn.teleport', 'turn.started', 'session_protocol_v2']) {
      const failure = await failureOf(openConnection({ ...daemon.endpoint, capabilities: [name] }));
      expect([name, failure.code]).toEqual([name, 'unsupported_capability']);
    }
  });

  test('a second one is refused, and the connection goes on', async () => {
    const peer = await (await scene()).peer();
    expect(await peer.refusal('initialize', INITIALIZE)).toBe('already_initialized');
    expect(await peer.refusal('session.active')).toBeNull();
  });

  test('failed ones may be repeated', async () => {
    const peer = await (await scene()).peer(RawPeer.greeted);
    expect(await peer.refusal('initialize', { supported_protocol_versions: [1] })).toBe(
      'unsupported_version',
    );
    expect(await peer.refusal('initialize', { supported_protocol_versions: [] })).toBe('unsupported_version');
    expect(await peer.refusal('initialize', {})).toBe('invalid_payload');
    const many = Array.from({ length: 9 }, () => 2);
    expect(await peer.refusal('initialize', { supported_protocol_versions: many })).toBe('limit_exceeded');
    expect(await peer.refusal('initialize', INITIALIZE)).toBeNull();
  });
});
