import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../src/platform/folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mt-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('makes what is missing, each with its rights, and leaves what is there', () => {
  const path = join(root, 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  for (const folder of [path, join(root, 'a')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a file in the way is said', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(root, 'file', 'below'))).toThrow('ENOTDIR');
});

test('where nothing can be made it ends with the reason', () => {
  expect(() => makeFolder('/proc/magi-term-nowhere/a/b')).toThrow(/ENOENT|EROFS|EACCES|EPERM|ENOTSUP/);
});
