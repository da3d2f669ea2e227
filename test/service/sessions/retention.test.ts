/** Old sessions go only when somebody said so (PROTOCOL.md, "Embedded service"). */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expireSessions } from '../../../src/service/sessions/retention.ts';
import { SessionFolder } from '../../../src/service/sessions/session-folder.ts';

const DAY = 86_400;
const NOW = Date.UTC(2031, 0, 1) / 1000;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let root: string;
let folder: SessionFolder;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mt-retention-'));
  folder = new SessionFolder(root);
  folder.prepare();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function session(id: string, daysAgo: number): void {
  folder.create(id, '/w', NOW * 1000);
  utimesSync(folder.path(id), NOW - daysAgo * DAY, NOW - daysAgo * DAY);
}
const expire = (days: number | null, now = NOW) => expireSessions({ folder, days, now: now * 1000, log });

test('nothing goes by default', () => {
  session('old', 4_000);
  expect([expire(null), folder.ids()]).toEqual([0, ['old']]);
});

test('what is older goes with its outputs; what is held or newer stays', () => {
  session('new', 0);
  session('month', 29);
  session('old', 31);
  session('held', 31);
  mkdirSync(join(root, 'sessions', 'old.tools'));
  writeFileSync(join(root, 'sessions', 'old.tools', 'x'), '');
  const lease = folder.lease('held');
  expect(expire(30)).toBe(1);
  expect(folder.ids()).toEqual(['held', 'month', 'new']);
  expect(existsSync(join(root, 'sessions', 'old.tools'))).toBe(false);
  if (lease.kind === 'held') lease.lock.release();
  expect([expire(30), folder.ids()]).toEqual([1, ['month', 'new']]);
});

test('a clock that runs ahead deletes nothing', () => {
  session('yesterday', 1);
  session('week', 7);
  expect([expire(30, NOW + 20 * 365 * DAY), folder.ids()]).toEqual([0, ['week', 'yesterday']]);
});
