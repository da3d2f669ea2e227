/** The two lines before any record, and what the daemon's own command line says of it (PROTOCOL.md, "Handshake"). */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { failureOf } from '../client/helpers.ts';
import { RawPeer } from './raw-peer.ts';
import { scenes } from './scene.ts';
import { DAEMON_VERSION } from './terms.ts';

const scene = scenes();

describe('the client says hello', () => {
  test('ready: the connection is good and names the daemon', async () => {
    const { service } = await (await scene()).connect();
    expect(service).toMatchObject({ server_name: 'magi-code', server_version: DAEMON_VERSION });
  });

  test('another version is a mismatch that names both', async () => {
    const { daemon } = await scene();
    const failure = await failureOf(openConnection({ ...daemon.endpoint, version: '0.80.1' }));
    expect(failure.code).toBe('version_mismatch');
    expect(failure.sentence).toBe('The service has version 0.80.2, this program 0.80.1.');
  });

  test('another workspace is closed without an answer', async () => {
    const { daemon, home } = await scene();
    const identity = home.workspaceBeside('other');
    const failure = await failureOf(openConnection({ ...daemon.endpoint, identity }));
    expect(failure.code).toBe('endpoint_closed');
  });

  test('a daemon that does not answer is silent', async () => {
    const { daemon } = await scene();
    daemon.freeze();
    const failure = await failureOf(openConnection({ ...daemon.endpoint, timeoutMs: 100 }));
    expect(failure.code).toBe('endpoint_silent');
  });

  test('a killed daemon leaves a stale socket, a stopped one none', async () => {
    const opened = await scene();
    await opened.daemon.kill();
    expect((await failureOf(opened.connect())).code).toBe('endpoint_stale');
    const next = await opened.startDaemon();
    await next.command('stop');
    expect(await next.ended).toBe(0);
    expect((await failureOf(opened.connect())).code).toBe('endpoint_absent');
  });
});

describe('other hellos', () => {
  /** What is answered to these bytes before the end. */
  async function answerTo(said: (peer: RawPeer) => void): Promise<unknown[]> {
    const peer = await (await scene()).peer(RawPeer.connect);
    said(peer);
    await peer.ended;
    return peer.records;
  }

  test('status is answered ready, then closed', async () => {
    const answers = await answerTo((peer) => peer.hello({ action: 'status' }));
    expect(answers).toEqual([expect.objectContaining({ status: 'ready', version: DAEMON_VERSION })]);
  });

  test('another version is answered with the daemon’s own, whatever the action', async () => {
    const answers = await answerTo((peer) => peer.hello({ version: '9.9.9', action: 'dance' }));
    expect(answers).toEqual([expect.objectContaining({ status: 'incompatible', version: DAEMON_VERSION })]);
  });

  const closed: readonly [name: string, said: (peer: RawPeer) => void][] = [
    ['a line of garbage', (peer) => peer.write('hello?\n')],
    ['a missing second member', (peer) => peer.hello({ workspace: undefined })],
    ['a further member', (peer) => peer.hello({ colour: 'red' })],
    ['an unknown action', (peer) => peer.hello({ action: 'dance' })],
    ['a line of 4097 bytes', (peer) => peer.write(`${'x'.repeat(4097)}\n`)],
  ];
  test.each(closed)('%s is closed without an answer', async (_name, said) => {
    expect(await answerTo(said)).toEqual([]);
  });

  test('initialize may come right behind hello', async () => {
    const peer = await (await scene()).peer(RawPeer.connect);
    peer.hello();
    const answer = await peer.ask('initialize', { supported_protocol_versions: [2] });
    expect(answer).toMatchObject({ error: null, payload: { server_version: DAEMON_VERSION } });
  });
});

describe('stop', () => {
  test('is refused while a client is connected', async () => {
    const opened = await scene();
    const { daemon } = opened;
    await opened.connect();
    await expect(daemon.command('stop')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('daemon is busy; no work was stopped'),
    });
    expect(JSON.parse(await daemon.command('status'))).toMatchObject({ status: 'ready' });
  });

  test('ends an idle daemon and takes its socket away', async () => {
    const opened = await scene();
    const { daemon } = opened;
    (await opened.connect()).close();
    let answer = '';
    // The end of the last connection is noticed a little later.
    while (answer === '') answer = await daemon.command('stop').catch(() => '');
    expect(JSON.parse(answer)).toMatchObject({ status: 'stopped', version: DAEMON_VERSION });
    expect(await daemon.ended).toBe(0);
    expect(existsSync(daemon.endpoint.socket)).toBe(false);
  });
});
