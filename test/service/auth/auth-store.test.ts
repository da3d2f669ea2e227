/** The shared store of credentials (PROTOCOL.md, "Authentication"). */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock } from '../../../src/platform/lock.ts';
import type { OAuthRecord } from '../../../src/service/auth/auth-file.ts';
import { AuthStore, type StoredAuth } from '../../../src/service/auth/auth-store.ts';
import { awaitLock } from '../../../src/service/auth/patient-lock.ts';
import { redactor } from '../../../src/service/log.ts';
import { discardFolder } from '../../secrets/ledger.ts';
import { authFile, stored } from './auth-world.ts';

let root: string;
let store: AuthStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mt-auth-'));
  store = new AuthStore(root);
});
afterEach(() => discardFolder(root));

const RECORD: OAuthRecord = {
  type: 'oauth',
  access: 'made-up-1',
  refresh: 'made-up-2',
  expires: 1,
  account_id: 'a-1',
};

function read(from = store): StoredAuth {
  const result = from.read();
  if (!result.ok) throw new Error(result.reason);
  return result.auth;
}

function put(value: unknown, mode = 0o600): void {
  mkdirSync(join(root, 'auth'), { mode: 0o700, recursive: true });
  writeFileSync(authFile(root), typeof value === 'string' ? value : JSON.stringify(value), { mode });
}

describe('what is kept', () => {
  test('nothing, and no file, until something is', () => {
    const auth = read();
    expect([auth.apiKey('anthropic'), auth.oauth('x'), auth.has('x'), auth.generation('x')]).toEqual([
      null,
      null,
      false,
      0,
    ]);
    expect(statSync(join(root, 'auth'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('keys and records, each with a generation of its own', async () => {
    await store.setKey('anthropic', 'made-up-key');
    expect(await store.putOAuth('codex', RECORD, 0)).toEqual({ ok: true, had: false });
    expect(await store.putOAuth('codex', RECORD, 1)).toEqual({ ok: true, had: true });
    const auth = read(new AuthStore(root));
    expect([auth.apiKey('anthropic'), auth.oauth('codex'), auth.apiKey('codex')]).toEqual([
      'made-up-key',
      RECORD,
      null,
    ]);
    expect([auth.generation('anthropic'), auth.generation('codex')]).toEqual([1, 2]);
    expect(statSync(authFile(root)).mode & 0o777).toBe(0o600);
  });

  test('a removal counts even when there was nothing', async () => {
    expect(await store.remove('codex')).toEqual({ ok: true, had: false });
    expect(await store.putOAuth('codex', RECORD, 0)).toMatchObject({ ok: false, why: 'changed' });
    expect(read().oauth('codex')).toBeNull();
    expect(await store.putOAuth('codex', RECORD, 1)).toMatchObject({ ok: true });
    expect(await store.remove('codex')).toEqual({ ok: true, had: true });
    expect([read().has('codex'), read().generation('codex')]).toEqual([false, 3]);
  });

  test('whatever it does not know', async () => {
    const later = { type: 'device', made: { up: true } };
    put({
      version: 1,
      generations: { codex: 4 },
      providers: { later, codex: { ...RECORD, more: [1] } },
      future: { kept: true },
    });
    await store.setKey('openai', 'made-up-key');
    expect(stored(root)).toEqual({
      version: 1,
      generations: { codex: 4, openai: 1 },
      providers: { later, codex: { ...RECORD, more: [1] }, openai: { type: 'api_key', key: 'made-up-key' } },
      future: { kept: true },
    });
  });

  test.each(['__proto__', '', 'two words'])('no provider called %j', async (name) => {
    expect(await store.setKey(name, 'made-up-key')).toMatchObject({ ok: false });
    expect(read().has(name)).toBe(false);
  });

  test.each(['constructor', 'a/b:c'])('a provider called %s', async (name) => {
    expect(read().has(name)).toBe(false);
    await store.setKey(name, 'made-up-key');
    expect([read().apiKey(name), read().generation(name)]).toEqual(['made-up-key', 1]);
  });

  test.each(['', 'two words', 'line\nbreak', 'ümlaut', 'x'.repeat(4_097)])('no key like %j', async (key) => {
    expect(await store.setKey('openai', key)).toMatchObject({ ok: false });
    expect(read().has('openai')).toBe(false);
  });

  test('no secret for the log', async () => {
    await store.setKey('openai', 'made/up+secret');
    await store.putOAuth('codex', { ...RECORD, access: 'made.up.access' }, 0);
    put({ version: 1, generations: {}, providers: { other: { type: 'api_key', key: 'seen-in-file' } } });
    read();
    const clean = redactor({});
    expect(clean('x made/up+secret y made.up.access z seen-in-file')).toBe(
      'x [redacted] y [redacted] z [redacted]',
    );
  });
});

describe('a file that cannot be used', () => {
  const whole = { version: 1, generations: {}, providers: {} };
  test.each<[string, unknown, RegExp]>([
    ['is cut off', '{"version":1,', /not valid JSON/],
    ['is empty', '', /not valid JSON/],
    ['is of a later version', { ...whole, version: 2 }, /another version/],
    ['has a record without a token', { ...whole, providers: { codex: { type: 'oauth' } } }, /another shape/],
    ['has a key that is none', { ...whole, providers: { x: { type: 'api_key', key: 5 } } }, /another shape/],
    ['has a generation below zero', { ...whole, generations: { x: -1 } }, /another shape/],
  ])('because it %s', async (_, content, reason) => {
    put(content);
    const before = readFileSync(authFile(root), 'utf8');
    expect(store.read()).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
    for (const change of [store.setKey('x', 'key'), store.putOAuth('x', RECORD, 0), store.remove('x')])
      expect(await change).toMatchObject({ ok: false, why: 'failed' });
    expect(readFileSync(authFile(root), 'utf8')).toBe(before);
  });

  test('because others can read it', async () => {
    put(whole);
    chmodSync(authFile(root), 0o640);
    expect(store.read()).toMatchObject({ ok: false, reason: expect.stringContaining('chmod 600') });
    chmodSync(authFile(root), 0o600);
    chmodSync(join(root, 'auth'), 0o755);
    expect(await store.setKey('x', 'key')).toMatchObject({ reason: expect.stringContaining('chmod 700') });
  });

  test('because it is a link or a folder', async () => {
    mkdirSync(join(root, 'auth'), { mode: 0o700 });
    writeFileSync(join(root, 'elsewhere'), JSON.stringify(whole), { mode: 0o600 });
    symlinkSync(join(root, 'elsewhere'), authFile(root));
    expect(store.read()).toMatchObject({ ok: false, reason: expect.stringContaining('ELOOP') });
    rmSync(authFile(root));
    mkdirSync(authFile(root));
    expect(await store.remove('x')).toMatchObject({ ok: false, why: 'failed' });
  });
});

describe('several at once', () => {
  test('lose nothing', async () => {
    const stores = [store, new AuthStore(root)];
    const names = Array.from({ length: 20 }, (_, index) => `p-${index}`);
    await Promise.all(names.map((name, index) => stores[index % 2]?.setKey(name, `key-of-${name}`)));
    const auth = read();
    expect(names.map((name) => auth.apiKey(name))).toEqual(names.map((name) => `key-of-${name}`));
  });

  test('in several processes lose nothing', async () => {
    const child = new URL('./auth-child.ts', import.meta.url).pathname;
    const run = promisify(execFile);
    const prefixes = ['a', 'b', 'c'];
    await Promise.all(prefixes.map((prefix) => run(process.execPath, [child, root, prefix, '8'])));
    const names = prefixes.flatMap((prefix) => Array.from({ length: 8 }, (_, index) => `${prefix}-${index}`));
    expect(names.map((name) => read().apiKey(name))).toEqual(names.map((name) => `key-${name}`));
  });

  test('with one generation in mind: one wins', async () => {
    const other = new AuthStore(root);
    const changes = await Promise.all([
      store.putOAuth('codex', RECORD, 0),
      other.putOAuth('codex', RECORD, 0),
    ]);
    expect(changes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(read().generation('codex')).toBe(1);
  });

  test('wait for each other, but not forever', async () => {
    const path = join(root, 'a.lock');
    const held = acquireLock(path);
    expect(await awaitLock(path, 20)).toBeNull();
    const waiting = awaitLock(path, 20_000);
    held?.release();
    (await waiting)?.release();
    mkdirSync(join(root, 'auth', 'auth.lock'), { recursive: true });
    chmodSync(join(root, 'auth'), 0o700);
    expect(await store.setKey('x', 'key')).toMatchObject({ ok: false, why: 'failed' });
  });
});
