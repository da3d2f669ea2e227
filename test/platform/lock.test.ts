import { spawn } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, isLockHeld, LockError } from '../../src/platform/lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mt-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LOCK = new URL('../../src/platform/lock.ts', import.meta.url).href;

/** Another process that tries to take the lock and says how it went. */
async function other(path: string, then: 'stay' | 'leave') {
  const code = `
    const { acquireLock } = await import(${JSON.stringify(LOCK)});
    console.log(acquireLock(${JSON.stringify(path)}) === null ? 'busy' : 'held');
    ${then === 'stay' ? 'setInterval(() => {}, 1000);' : 'process.exit(0);'}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const said = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  if (then === 'leave') await ended;
  return { said, ended, complaints: () => complaints, kill: () => child.kill('SIGKILL') };
}

describe('a lock', () => {
  test('is held once in this process, and left behind as an empty private file', () => {
    const path = join(folder, 'a.lock');
    expect(isLockHeld(path)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    const lock = acquireLock(path);
    expect(lock).not.toBeNull();
    expect(acquireLock(path)).toBeNull();
    expect(isLockHeld(path)).toBe(true);
    lock?.release();
    lock?.release();
    expect(isLockHeld(path)).toBe(false);
    acquireLock(path)?.release();
    expect([readdirSync(folder), statSync(path).mode & 0o777, statSync(path).size]).toEqual([
      ['a.lock'],
      0o600,
      0,
    ]);
  });

  test('keeps other processes out, and asking does not let go', async () => {
    const path = join(folder, 'a.lock');
    const lock = acquireLock(path);
    expect((await other(path, 'leave')).said).toBe('busy');
    acquireLock(path);
    isLockHeld(path);
    expect((await other(path, 'leave')).said).toBe('busy');
    lock?.release();
    const next = await other(path, 'leave');
    expect([next.said, next.complaints()]).toEqual(['held', '']);
  });

  test('ends with its process, even when that is killed', async () => {
    const path = join(folder, 'a.lock');
    const holder = await other(path, 'stay');
    expect([holder.said, acquireLock(path), isLockHeld(path)]).toEqual(['held', null, true]);
    holder.kill();
    await holder.ended;
    const lock = acquireLock(path);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  test.each<[string, (path: string) => void]>([
    ['a link', (path) => symlinkSync('/dev/null', path)],
    ['a folder', (path) => mkdtempSync(path)],
    [
      'a file with two names',
      (path) => {
        writeFileSync(`${path}2`, '', { mode: 0o600 });
        linkSync(`${path}2`, path);
      },
    ],
    [
      'a file that others can read',
      (path) => {
        writeFileSync(path, '');
        chmodSync(path, 0o644);
      },
    ],
    ['a file with something in it', (path) => writeFileSync(path, 'x'.repeat(4_096), { mode: 0o600 })],
  ])('refuses %s', (kind, make) => {
    const path = join(folder, 'b.lock');
    make(path);
    const target = kind === 'a folder' ? join(folder, readdirSync(folder)[0] ?? '') : path;
    expect(() => acquireLock(target)).toThrow(LockError);
  });
});
