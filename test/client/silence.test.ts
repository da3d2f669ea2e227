/** A service that does not answer (PROTOCOL.md, "Queues and timers"). */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { Correlator } from '../../src/client/correlator.ts';
import { asFailure, type WireFailure } from '../../src/client/failure.ts';
import type { RequestEnvelope } from '../../src/wire/envelope.ts';
import type { Method } from '../../src/wire/operations.ts';
import { ScriptedService } from '../support/scripted-service.ts';
import { deferred, LIST } from './helpers.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets so many ms go by, and what is read before a verdict. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await new Promise(setImmediate);
}

/** A correlator without a socket; `answer` is a good response to the oldest request of a method. */
function correlator() {
  const sent: Omit<RequestEnvelope, 'instance_id' | 'connection_id'>[] = [];
  const silent = vi.fn();
  const requests = new Correlator({ send: (request) => sent.push(request), silent });
  const answer = (method: Method, payload: RequestEnvelope['payload']) => {
    const at = sent.findIndex((request) => request.method === method);
    const [request] = sent.splice(at, 1);
    if (request === undefined) throw new Error(`no ${method} was sent`);
    const { request_id, session_id, operation_id } = request;
    const ids = { instance_id: 'i', connection_id: 'c', request_id, session_id, operation_id };
    const head = { protocol_version: 2, kind: 'response' } as const;
    expect(requests.settle({ ...head, ...ids, method, payload, error: null })).toBeNull();
  };
  const ask = (method: 'session.list' | 'session.create') => {
    requests.request(method, {}, {}).catch(() => undefined);
  };
  return { requests, silent, answer, ask };
}

test('a request without an answer for 35 s is told once', async () => {
  const { ask, silent } = correlator();
  ask('session.list');
  await pass(34_999);
  expect(silent).not.toHaveBeenCalled();
  await pass(1);
  expect(silent).toHaveBeenCalledOnce();
});

test('what is answered in time is not, and each request has its own time', async () => {
  const { answer, ask, silent } = correlator();
  ask('session.list');
  await pass(20_000);
  ask('session.create');
  answer('session.list', LIST);
  await pass(34_999);
  expect(silent).not.toHaveBeenCalled();
  await pass(1);
  expect(silent).toHaveBeenCalledOnce();
});

test('one timer serves all requests, and none is left once the link has ended', async () => {
  const { ask, requests, silent } = correlator();
  for (let index = 0; index < 10; index += 1) ask('session.list');
  expect(vi.getTimerCount()).toBe(1);
  requests.lose();
  expect(vi.getTimerCount()).toBe(0);
  await pass(100_000);
  expect(silent).not.toHaveBeenCalled();
});

test('a request that waits for its place has not been sent yet', async () => {
  const { answer, ask, silent } = correlator();
  for (let index = 0; index < 17; index += 1) ask('session.list');
  await pass(30_000);
  for (let index = 0; index < 16; index += 1) answer('session.list', LIST);
  await pass(34_000);
  expect(silent).not.toHaveBeenCalled();
  answer('session.list', LIST);
  await pass(100_000);
  expect(silent).not.toHaveBeenCalled();
});

test('a provider may take longer', async () => {
  const { requests, silent } = correlator();
  const ignore = () => undefined;
  requests.request('catalog.refresh', { provider_id: 'a' }, {}).catch(ignore);
  requests.request('auth.logout', { provider_id: 'a', confirmed: true }, {}).catch(ignore);
  await pass(1_000_000);
  expect(silent).not.toHaveBeenCalled();
});

test('an answer that came while the process slept is read before the verdict', async () => {
  const { answer, ask, silent } = correlator();
  ask('session.list');
  vi.advanceTimersByTime(100_000);
  answer('session.list', LIST);
  await pass(0);
  expect(silent).not.toHaveBeenCalled();
});

test('a silent service loses the connection, and a mutation is uncertain', async () => {
  const asked = deferred<void>();
  const service = await ScriptedService.start(async (peer) => {
    await peer.welcome();
    await peer.expect('session.create');
    asked.resolve();
    await peer.gone();
  });
  const connection = await openConnection(service.options);
  const reason = new Promise<WireFailure>((resolve) => {
    connection.onClose(resolve);
  });
  const created = connection.request('session.create', {}).catch(asFailure);
  await asked.promise;
  await pass(35_000);
  expect((await reason).code).toBe('endpoint_silent');
  expect(await created).toMatchObject({ code: 'link_lost', uncertain: true });
  await service.stop();
  expect(service.errors).toEqual([]);
});
