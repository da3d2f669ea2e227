/** Answers that are about something else than was asked (PROTOCOL.md, "Envelopes"); the recorded ones lie in `test/wire/mutations-*`. */
import { afterEach, expect, test } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import type { WireFailure } from '../../src/client/failure.ts';
import { ScriptedService } from '../support/scripted-service.ts';
import { failureOf } from './helpers.ts';

const services: ScriptedService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

/** A connection whose service gives this answer to the first request. */
async function answering(answer: unknown) {
  const service = await ScriptedService.start(async (peer) => {
    await peer.welcome();
    peer.answer(await peer.read(), answer);
  });
  services.push(service);
  const connection = await openConnection(service.options);
  const reason = new Promise<WireFailure>((resolve) => {
    connection.onClose(resolve);
  });
  return { connection, reason };
}

const LOGOUT = { status: 'logged_out', removed: true, environment_unchanged: true };

test('a refreshed catalog is that of the provider', async () => {
  const good = { provider_id: 'anthropic', state: 'stale' };
  const asked = { provider_id: 'anthropic' };
  expect(await (await answering(good)).connection.request('catalog.refresh', asked)).toEqual(good);
  const { connection, reason } = await answering({ ...good, provider_id: 'local-llm' });
  expect(await failureOf(connection.request('catalog.refresh', asked))).toMatchObject({
    code: 'link_lost',
    uncertain: true,
  });
  expect((await reason).sentence).toBe('The service broke the protocol: an answer names another provider.');
});

test('who is signed out is who was asked for', async () => {
  const good = { ...LOGOUT, provider_id: 'anthropic' };
  const asked = { provider_id: 'anthropic', confirmed: true };
  expect(await (await answering(good)).connection.request('auth.logout', asked)).toEqual(good);
  const { connection, reason } = await answering({ ...good, provider_id: 'openai-codex' });
  expect((await failureOf(connection.request('auth.logout', asked))).code).toBe('link_lost');
  expect((await reason).sentence).toBe('The service broke the protocol: an answer names another provider.');
});

test('an answer to a request that was given up is checked all the same', async () => {
  const { connection, reason } = await answering({ provider_id: 'local-llm', state: 'stale' });
  const controller = new AbortController();
  const { signal } = controller;
  const refreshed = failureOf(
    connection.request('catalog.refresh', { provider_id: 'anthropic' }, { signal }),
  );
  controller.abort();
  expect((await refreshed).code).toBe('request_abandoned');
  expect((await reason).sentence).toBe('The service broke the protocol: an answer names another provider.');
});
