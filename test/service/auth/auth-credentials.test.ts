/** The Codex credential, refreshed before use (PROTOCOL.md, "Authentication"). */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuthStore } from '../../../src/service/auth/auth-store.ts';
import { CODEX, CodexCredentials } from '../../../src/service/auth/codex-credentials.ts';
import { silentLog } from '../../../src/service/log.ts';
import { discardFolder } from '../../secrets/ledger.ts';
import { ACCOUNT, OAuthIssuer } from '../../support/oauth-issuer.ts';
import { ManualClock } from '../manual-clock.ts';
import { authFile, stored } from './auth-world.ts';

let root: string;
let issuer: OAuthIssuer;
let store: AuthStore;
let clock: ManualClock;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'mt-auth-'));
  issuer = await OAuthIssuer.start();
  store = new AuthStore(root);
  clock = new ManualClock();
});
afterEach(async () => {
  await issuer.close();
  discardFolder(root);
});

const MARGIN = 300_000;

function credentials(env: Record<string, string> = issuer.env): CodexCredentials {
  return new CodexCredentials({ store: new AuthStore(root), env, clock, log: silentLog });
}

/** Stores a credential that ends after `ms`. */
async function put(ms: number): Promise<{ access: string; refresh: string }> {
  const tokens = issuer.issue();
  const record = {
    type: 'oauth',
    ...tokens,
    expires: clock.now() + ms,
    account_id: ACCOUNT,
    note: 'kept',
  } as const;
  const read = store.read();
  await store.putOAuth(CODEX, record, read.ok ? read.auth.generation(CODEX) : 0);
  return tokens;
}

test('is used as it is while it lives', async () => {
  const { access } = await put(MARGIN + 1);
  expect(await credentials().current()).toEqual({ ok: true, access, accountId: ACCOUNT });
  expect(issuer.tokenRequests).toEqual([]);
});

test('is refreshed before it ends, once for all who ask', async () => {
  const { access, refresh } = await put(MARGIN);
  const [one, two] = [credentials(), credentials()];
  const all = await Promise.all([one.current(), one.current(), two.current()]);
  expect(new Set(all.map((credential) => JSON.stringify(credential))).size).toBe(1);
  expect(all[0]).toMatchObject({ ok: true, accountId: ACCOUNT });
  expect(all[0]).not.toMatchObject({ access });
  expect(issuer.tokenRequests).toEqual([
    { grant_type: 'refresh_token', refresh_token: refresh, client_id: expect.any(String) },
  ]);
  const record = stored(root).providers[CODEX];
  expect(record).toMatchObject({ expires: clock.now() + 3_600_000, note: 'kept' });
  expect(record.refresh).not.toBe(refresh);
});

test('keeps the refresh token when the issuer gives no other', async () => {
  issuer.rotates = false;
  issuer.token = 'no-account';
  const { refresh } = await put(0);
  expect(await credentials().current()).toMatchObject({ ok: true, accountId: ACCOUNT });
  expect(stored(root).providers[CODEX].refresh).toBe(refresh);
});

test('needs a new sign-in when the issuer refuses it, and says so from then on', async () => {
  await put(0);
  issuer.token = 'error';
  expect(await credentials().current()).toEqual({ ok: false, why: 'needs_login' });
  expect(await credentials().current()).toEqual({ ok: false, why: 'needs_login' });
  expect(issuer.tokenRequests).toHaveLength(1);
});

test('waits for better times when the issuer is away or silent', async () => {
  const before = await put(0);
  const away = { ...issuer.env, MAGI_TERM_OAUTH_TOKEN_ENDPOINT: 'http://127.0.0.1:9/oauth/token' };
  expect(await credentials(away).current()).toEqual({ ok: false, why: 'unreachable' });
  issuer.token = 'silent';
  const current = credentials().current();
  await issuer.asked(1);
  clock.advance(30_000);
  expect(await current).toEqual({ ok: false, why: 'unreachable' });
  issuer.token = 'ok';
  expect(stored(root).providers[CODEX].refresh).toBe(before.refresh);
  expect(await credentials().current()).toMatchObject({ ok: true });
});

test('is not brought back after signing out', async () => {
  await put(0);
  issuer.token = 'held';
  const current = credentials().current();
  await issuer.asked(1);
  await store.remove(CODEX);
  issuer.release();
  expect(await current).toEqual({ ok: false, why: 'missing' });
  expect(stored(root).providers).toEqual({});
});

test('gives way to one that was stored meanwhile', async () => {
  await put(0);
  issuer.token = 'held';
  const current = credentials().current();
  await issuer.asked(1);
  const { access } = await put(MARGIN + 1);
  issuer.release();
  expect(await current).toEqual({ ok: true, access, accountId: ACCOUNT });
});

test('is missing without a sign-in, and unusable with a broken store', async () => {
  expect(await credentials().current()).toEqual({ ok: false, why: 'missing' });
  await put(0);
  expect(await credentials({ MAGI_TERM_OAUTH_ISSUER: 'ftp://x' }).current()).toEqual({
    ok: false,
    why: 'unreachable',
  });
  writeFileSync(authFile(root), 'broken');
  expect(await credentials().current()).toEqual({ ok: false, why: 'unusable' });
});
