import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { editTool } from '../../src/agent/tools/edit.ts';
import { findTool } from '../../src/agent/tools/find.ts';
import { grepTool } from '../../src/agent/tools/grep.ts';
import { listTool } from '../../src/agent/tools/list.ts';
import { readTool } from '../../src/agent/tools/read.ts';
import { writeTool } from '../../src/agent/tools/write.ts';
import { permitting, runTool, tempFolder } from './support.ts';

const OUTSIDE_NOTICE = /^(?:read|write)-outside is off\./u;

describe('read', () => {
  test.each([
    [{ path: 'a.txt' }, 'one\ntwo\nthree\n'],
    [{ path: 'a.txt', offset: 2 }, 'two\nthree\n'],
    [{ path: 'a.txt', offset: 2, limit: 1 }, 'two\n'],
    [{ path: 'a.txt', offset: 9 }, '[The file ends before line 9.]'],
    [{ path: 'empty.txt' }, '[The file is empty.]'],
  ])('%j', async (args, output) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
    await writeFile(join(folder, 'empty.txt'), '');
    expect(await runTool(readTool, folder, args)).toMatchObject({ status: 'ok', output });
  });

  test('cuts a long file at whole lines and says how to go on', async () => {
    const folder = await tempFolder();
    const line = `${'ä'.repeat(50)}\n`;
    await writeFile(join(folder, 'long.txt'), line.repeat(5000));
    const first = await runTool(readTool, folder, { path: 'long.txt' });
    expect(Buffer.byteLength(first.output)).toBeLessThan(65 * 1024);
    expect(first.outputBytes).toBe(101 * 5000);
    expect(first.output).toMatch(/\[Cut at 64 KB of 505000 bytes\. Continue with offset 649\.\]$/u);
    expect(first.output.startsWith(line.repeat(648))).toBe(true);
    const second = await runTool(readTool, folder, { path: 'long.txt', offset: 4999 });
    expect(second.output).toBe(line.repeat(2));
  });

  test('cuts within a line that is too long, between characters', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'wide.txt'), `x${'€'.repeat(50_000)}`);
    const result = await runTool(readTool, folder, { path: 'wide.txt' });
    expect(result.output).toMatch(/^x€+\n\[Cut at 64 KB within line 1/u);
  });

  test.each([
    ['binary.bin', /binary file \(4 bytes\)/u],
    ['folder', /EISDIR|not a file/u],
    ['missing.txt', /ENOENT/u],
  ])('refuses %s', async (path, output) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'binary.bin'), Buffer.from([1, 0, 2, 3]));
    await mkdir(join(folder, 'folder'));
    const result = await runTool(readTool, folder, { path });
    expect(result).toMatchObject({ status: 'error', output: expect.stringMatching(output) });
  });
});

describe('the border of the workspace', () => {
  test.each([
    ['a path with ..', '../secret.txt'],
    ['an absolute path', '/etc/hostname'],
    ['a link to a file', 'link-file'],
    ['a link to a folder', 'link-folder/secret.txt'],
    ['a link to something missing', 'link-missing'],
    ['a new file below a linked folder', 'link-folder/deep/new.txt'],
  ])('%s is outside', async (_name, path) => {
    const outside = await tempFolder();
    const folder = join(outside, 'work');
    await mkdir(folder);
    await writeFile(join(outside, 'secret.txt'), 'secret');
    await symlink(join(outside, 'secret.txt'), join(folder, 'link-file'));
    await symlink(outside, join(folder, 'link-folder'));
    await symlink('../not-yet', join(folder, 'link-missing'));
    const before = await readdir(outside);
    for (const [tool, args] of [
      [readTool, { path }],
      [listTool, { path }],
      [findTool, { pattern: '*', path }],
      [grepTool, { pattern: 'secret', path }],
      [writeTool, { path, content: 'x' }],
      [editTool, { path, old_text: 'secret', new_text: 'x' }],
    ] as const) {
      const result = await runTool(tool, folder, args);
      expect(result).toMatchObject({ status: 'denied', notice: expect.stringMatching(OUTSIDE_NOTICE) });
      expect(result.output).toMatch(/^Not allowed: (?:read|write)-outside\.$/u);
    }
    expect(await readdir(outside)).toEqual(before);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('opens with permission', async () => {
    const outside = await tempFolder();
    const folder = join(outside, 'work');
    await mkdir(folder);
    const permit = permitting('write-outside');
    const result = await runTool(writeTool, folder, { path: '../new.txt', content: 'x' }, { permit });
    expect(result.status).toBe('ok');
    expect(await readFile(join(outside, 'new.txt'), 'utf8')).toBe('x');
  });

  test('a link inside stays inside', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'real.txt'), 'old');
    await symlink('real.txt', join(folder, 'link.txt'));
    await runTool(editTool, folder, { path: 'link.txt', old_text: 'old', new_text: 'new' });
    expect(await readFile(join(folder, 'real.txt'), 'utf8')).toBe('new');
    expect(await readFile(join(folder, 'link.txt'), 'utf8')).toBe('new');
  });

  test('a folder whose name only starts like the workspace is outside', async () => {
    const parent = await tempFolder();
    await mkdir(join(parent, 'work'));
    await mkdir(join(parent, 'work-2'));
    const result = await runTool(listTool, join(parent, 'work'), { path: '../work-2' });
    expect(result.status).toBe('denied');
  });
});

describe('write', () => {
  test('creates folders, and gives the diff of a replaced file whose mode it keeps', async () => {
    const folder = await tempFolder();
    const path = 'deep/er/run.sh';
    const created = await runTool(writeTool, folder, { path, content: 'a\n' });
    expect(created).toMatchObject({
      status: 'ok',
      output: 'Created deep/er/run.sh (2 bytes).',
      diff: `--- ${path}\n+++ ${path}\n@@ -0,0 +1,1 @@\n+a\n`,
    });
    await chmod(join(folder, path), 0o750);
    const replaced = await runTool(writeTool, folder, { path, content: 'b\n' });
    expect(replaced.diff).toBe(`--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-a\n+b\n`);
    expect((await stat(join(folder, path))).mode & 0o777).toBe(0o750);
    expect(await readdir(join(folder, 'deep/er'))).toEqual(['run.sh']);
  });

  test('bounds the diff', async () => {
    const folder = await tempFolder();
    const content = 'some line of text\n'.repeat(20_000);
    const { diff = '' } = await runTool(writeTool, folder, { path: 'big.txt', content });
    expect(Buffer.byteLength(diff)).toBeLessThan(65 * 1024);
    expect(diff.endsWith('+some line of text\n\\ The diff is cut at 64 KB\n')).toBe(true);
  });

  test('refuses to replace a folder', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'sub'));
    expect(await runTool(writeTool, folder, { path: 'sub', content: '' })).toMatchObject({ status: 'error' });
  });
});

describe('edit', () => {
  const text = 'let a = 1;\nlet b = 1;\n';

  test.each([
    [{ old_text: 'a = 1', new_text: 'a = $& 2' }, 'let a = $& 2;\nlet b = 1;\n'],
    [{ old_text: '= 1', new_text: '= 3', replace_all: true }, 'let a = 3;\nlet b = 3;\n'],
    [{ old_text: '\nlet b = 1;', new_text: '' }, 'let a = 1;\n'],
  ])('%j', async (change, after) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.ts'), text);
    expect(await runTool(editTool, folder, { path: 'a.ts', ...change })).toMatchObject({ status: 'ok' });
    expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe(after);
  });

  test.each([
    ['a.ts', { old_text: '= 1', new_text: '= 2' }, /occurs 2 times/u],
    ['a.ts', { old_text: 'nothing', new_text: '' }, /was not found/u],
    ['a.ts', { old_text: 'a', new_text: 'a' }, /are the same/u],
    ['a.ts', { old_text: '', new_text: 'a' }, /Wrong arguments for edit/u],
    ['latin.txt', { old_text: 'a', new_text: 'b' }, /not valid UTF-8/u],
    ['missing.ts', { old_text: 'a', new_text: 'b' }, /does not exist/u],
  ])('%s %j changes nothing', async (path, change, output) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.ts'), text);
    await writeFile(join(folder, 'latin.txt'), Buffer.from([0x61, 0xe4]));
    const result = await runTool(editTool, folder, { path, ...change });
    expect(result).toMatchObject({ status: 'error', output: expect.stringMatching(output) });
    expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe(text);
  });
});

describe('list, find and grep', () => {
  async function tree(): Promise<string> {
    const folder = await tempFolder();
    await mkdir(join(folder, 'src/deep'), { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, '.gitignore'), 'node_modules\n');
    await writeFile(join(folder, 'node_modules/b.ts'), 'needle');
    await writeFile(join(folder, 'src/a.ts'), 'first\nneedle here\n');
    await writeFile(join(folder, 'src/deep/c.ts'), 'Needle(\n');
    await symlink('src', join(folder, 'link'));
    return folder;
  }

  test('list sorts and marks', async () => {
    const result = await runTool(listTool, await tree(), {});
    expect(result).toMatchObject({ status: 'ok', output: '.gitignore\nlink@\nnode_modules/\nsrc/' });
  });

  test('list is bounded', async () => {
    const folder = await tempFolder();
    await Promise.all(Array.from({ length: 1100 }, (_, n) => writeFile(join(folder, `f${n}`), '')));
    const result = await runTool(listTool, folder, {});
    expect(result.output.split('\n')).toHaveLength(1001);
    expect(result.output).toMatch(/\[100 entries left out\]$/u);
  });

  test.each([
    [{ pattern: '*.ts' }, 'src/a.ts\nsrc/deep/c.ts'],
    [{ pattern: 'src/*.ts' }, 'src/a.ts'],
    [{ pattern: '*.ts', path: 'src/deep' }, 'c.ts'],
    [{ pattern: '*.none' }, 'No file matches.'],
  ])('find %j', async (args, output) => {
    expect(await runTool(findTool, await tree(), args)).toMatchObject({ status: 'ok', output });
  });

  test.each([
    [{ pattern: 'needle' }, 'src/a.ts:2:needle here\n'],
    [{ pattern: 'needle', ignore_case: true }, 'src/a.ts:2:needle here\nsrc/deep/c.ts:1:Needle(\n'],
    [{ pattern: 'Needle(', literal: true }, 'src/deep/c.ts:1:Needle(\n'],
    [{ pattern: 'needle', path: 'src/a.ts' }, 'a.ts:2:needle here\n'],
    [{ pattern: '-nothing' }, 'No line matches.'],
  ])('grep %j', async (args, output) => {
    expect(await runTool(grepTool, await tree(), args)).toMatchObject({ status: 'ok', output });
  });

  test('grep says what is wrong with a pattern', async () => {
    const result = await runTool(grepTool, await tree(), { pattern: '(' });
    expect(result).toMatchObject({ status: 'error', output: expect.stringContaining('regex parse error') });
  });

  test('grep is bounded', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'big.txt'), 'needle in a long line\n'.repeat(20_000));
    const result = await runTool(grepTool, folder, { pattern: 'needle' });
    expect(Buffer.byteLength(result.output)).toBeLessThan(49 * 1024);
    expect(result.output).toMatch(/needle in a long line\n\[Cut at 48 KB/u);
  });
});

describe('writing to .git', () => {
  test.each([
    ['a hook', '.git/hooks/pre-commit'],
    ['a hook under another spelling', 'sub/../.GIT/hooks/pre-commit'],
    ['a hook through a link', 'link/hooks/pre-commit'],
  ])('%s is refused as bash would be', async (_name, path) => {
    const folder = await tempFolder();
    await mkdir(join(folder, '.git', 'hooks'), { recursive: true });
    await mkdir(join(folder, 'sub'));
    await symlink(join(folder, '.git'), join(folder, 'link'));
    const locked = permitting('write', 'write-outside');
    const refused = await runTool(writeTool, folder, { path, content: 'x' }, { permit: locked });
    expect(refused).toMatchObject({ status: 'denied', notice: expect.stringContaining('bash is off') });
    expect(await readdir(join(folder, '.git', 'hooks'))).toEqual([]);
    const open = permitting('bash');
    expect(await runTool(writeTool, folder, { path, content: 'x' }, { permit: open })).toMatchObject({
      status: 'ok',
    });
  });
});
