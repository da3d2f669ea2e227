import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canonicalStateRoot, canonicalWorkspace } from '../../src/platform/canonical.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mt-canonical-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('links are resolved', () => {
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real'), join(folder, 'link'));
  expect(canonicalWorkspace(join(folder, 'link/.'))).toEqual({ ok: true, path: join(folder, 'real') });
});

test('a folder must be there, and be one', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(canonicalWorkspace(join(folder, 'none'))).toMatchObject({
    ok: false,
    reason: expect.stringContaining('ENOENT'),
  });
  expect(canonicalWorkspace(join(folder, 'file'))).toMatchObject({
    ok: false,
    reason: expect.stringContaining('not a folder'),
  });
});

test('a state root is made, for its owner only', () => {
  const path = join(folder, 'a', 'b');
  expect(canonicalStateRoot(path)).toEqual({ ok: true, path });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  writeFileSync(join(folder, 'file'), '');
  expect(canonicalStateRoot(join(folder, 'file', 'x'))).toMatchObject({
    ok: false,
    reason: expect.stringContaining('state folder'),
  });
});
