/** Nothing of a sign-in is written anywhere but into the store, nor sent anywhere but to its initiator. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openServiceLog } from '../../../src/service/service-log.ts';
import { discardFolder } from '../../secrets/ledger.ts';
import { hold, start as startTurn } from '../harness.ts';
import { callback, cancel, outcome, signIn, startAuthWorld, startLogin } from './auth-world.ts';

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

test('secrets of sign-ins that succeed, fail and are cancelled', async () => {
  const stateRoot = realpathSync(mkdtempSync(join(tmpdir(), 'mt-auth-')));
  const log = openServiceLog(stateRoot, 'auth-secrets', {});
  const world = await startAuthWorld({ stateRoot, log });
  const client = await world.client();
  const other = await world.client();
  const held = await hold(other);
  const urls: string[] = [];
  const login = async (finish: (url: string) => Promise<string | null>) => {
    const { id, url } = await startLogin(client);
    urls.push(url, encodeURIComponent(url), JSON.stringify(url).slice(1, -1));
    const input = await finish(url);
    await (input === null ? cancel(client, id) : callback(client, id, input));
    return outcome(client, id);
  };
  const labels = [
    await login((url) => world.issuer.agree(url)),
    await login((url) => world.issuer.agree(url, { state: 'not-this-attempt' })),
    await login(async () => null),
  ];
  for (const mood of ['error', 'garbage', 'foreign-token', 'no-account', 'huge'] as const) {
    world.issuer.token = mood;
    labels.push(await login((url) => world.issuer.agree(url)));
  }
  world.issuer.token = 'ok';
  const { id, url } = await startLogin(client);
  const file = join(stateRoot, 'auth', 'auth.json');
  const good = readFileSync(file, 'utf8');
  writeFileSync(file, 'broken');
  await callback(client, id, await world.issuer.agree(url));
  labels.push(await outcome(client, id));
  writeFileSync(file, good);
  await signIn(world, client);
  expect(labels).toEqual([
    'exchange_succeeded',
    'callback_failed',
    'cancelled',
    ...Array(5).fill('exchange_failed'),
    'storage_failed',
  ]);
  await startTurn(other, held, 'Hello');
  world.agent.last.say('Hello yourself.');
  world.agent.last.complete();
  await other.event('turn.terminal');

  const words = [...world.issuer.secrets, ...urls];
  const found = (text: string) => words.filter((word) => text.includes(word));
  const written = filesUnder(stateRoot).filter((path) => path !== file);
  expect(written.map((path) => path.replace(/[^/]*$/, '')).join(' ')).toContain('/logs/');
  expect(written.some((path) => path.endsWith('.jsonl'))).toBe(true);
  expect(written.flatMap((path) => found(readFileSync(path, 'utf8')))).toEqual([]);
  expect(readFileSync(file, 'utf8')).toContain('refresh-');
  expect(found(JSON.stringify(other.records))).toEqual([]);
  // The initiator's own URL is the one thing that it is sent, in the event that is for it.
  const rest = client.records.filter(({ payload }) => payload?.state !== 'authorization_url');
  expect(found(JSON.stringify(rest))).toEqual([]);
  expect(readFileSync(written.find((path) => path.endsWith('.log')) ?? '', 'utf8')).toContain(
    'a sign-in ended',
  );
  await world.close();
  discardFolder(stateRoot);
});
