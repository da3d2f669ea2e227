import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchTool } from '../../src/agent/tools/patch.ts';
import { applyFilePatch } from '../../src/agent/tools/patch-apply.ts';
import { PatchError, parseFilePatches } from '../../src/agent/tools/patch-parse.ts';
import { askingTheTest, eventually, permitting, runTool, tempFolder } from './support.ts';

const TEN = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

/** What a patch makes of one text. */
function apply(patch: string, before: string | null): string | null {
  const [file] = parseFilePatches(patch);
  if (file === undefined) throw new Error('no file');
  return applyFilePatch(file, before);
}

const change = (...hunks: readonly string[]): string => `--- a/f\n+++ b/f\n${hunks.join('\n')}\n`;

describe('a hunk', () => {
  test.each([
    ['where it should be', '@@ -2,3 +2,3 @@\n two\n-three\n+3\n four', TEN.replace('three', '3')],
    ['a few lines off', '@@ -5,3 +5,3 @@\n two\n-three\n+3\n four', TEN.replace('three', '3')],
    ['with wrong counts', '@@ -2,9 +2,1 @@\n two\n-three\n+3\n four', TEN.replace('three', '3')],
    ['without counts', '@@ -2 +2 @@\n two\n-three\n+3\n four', TEN.replace('three', '3')],
    ['without numbers', '@@\n two\n-three\n+3\n four', TEN.replace('three', '3')],
    ['with a heading', '@@ -2,3 +2,3 @@ function f()\n two\n-three\n+3\n four', TEN.replace('three', '3')],
    ['at the start', '@@ -1,2 +1,3 @@\n+zero\n one\n two', `zero\n${TEN}`],
    ['at the end', '@@ -9,2 +9,3 @@\n nine\n ten\n+eleven', `${TEN}eleven\n`],
    ['that only removes', '@@ -1,2 +1,1 @@\n-one\n two', TEN.slice(4)],
  ])('%s fits', (_name, hunk, after) => {
    expect(apply(change(hunk), TEN)).toBe(after);
    expect(apply(`\`\`\`diff\n${change(hunk)}\`\`\`\n`, TEN)).toBe(after);
    const windows = TEN.replaceAll('\n', '\r\n');
    expect(apply(change(hunk), windows)).toBe(after.replaceAll('\n', '\r\n'));
    expect(apply(change(hunk).replaceAll('\n', '\r\n'), TEN)).toBe(after);
    expect(apply(change(hunk), TEN.slice(0, -1))).toBe(after.slice(0, -1));
  });

  test('follows the drift of the one before', () => {
    const far = `${'x\n'.repeat(150)}${TEN}${'y\n'.repeat(150)}${TEN}`;
    const patch = change('@@ -100,2 +100,2 @@\n-one\n+1\n two', '@@ -103,2 +103,2 @@\n-four\n+4\n five');
    expect(apply(patch, far)).toBe(far.replace('one', '1').replace('four', '4'));
  });

  test('keeps blank lines that lost their space, also at its end', () => {
    expect(apply(change('@@ -1,4 +1,4 @@\n-a\n+A\n\n b\n'), 'a\n\nb\n\nc\n')).toBe('A\n\nb\n\nc\n');
    expect(apply(change('@@ -1,3 +1,3 @@\n-a\n+A\n\n b\n'), 'a\n\nb\nc\n')).toBe('A\n\nb\nc\n');
  });

  test('may hold lines that look like headers', () => {
    const patch = change('@@ -1,2 +1,2 @@\n--- old\n+++ new\n end');
    expect(apply(patch, '-- old\nend\n')).toBe('++ new\nend\n');
  });

  test.each([
    ['-two\n+2\n five', /hunk 1 \(@@ -2,2 \+2,2 @@\) does not fit: line 3 should be "five" but is "three"/u],
    ['-two \n+2', /line 2 should be "two " but is "two"/u],
    ['+2', /hunk 1 .* has no context/u],
    [' two', /changes nothing/u],
  ])('%j is refused', (body, message) => {
    expect(() => apply(change(`@@ -2,1 +2,1 @@\n${body}`), TEN)).toThrow(message);
  });

  test('too far from its line, or at no certain place, is refused', () => {
    const far = `${'x\n'.repeat(150)}${TEN}`;
    expect(() => apply(change('@@ -2,2 +2,2 @@\n-two\n+2\n three'), far)).toThrow(/does not fit/u);
    const twice = TEN.repeat(2);
    expect(() => apply(change('@@ -8,2 +8,2 @@\n-two\n+2\n three'), twice)).toThrow(/several places/u);
    expect(apply(change('@@ -12,2 +12,2 @@\n-two\n+2\n three'), twice)).toBe(TEN + TEN.replace('two', '2'));
  });
});

test('every diff of two texts fits its first text', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', '- x', '+ y', '-- z', '@@', '\\ n', ' s'), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, fc.boolean(), (before, after, isWindows) => {
      if (before === after) return;
      const ends = (value: string): string => (isWindows ? value.replaceAll('\n', '\r\n') : value);
      const patch = createTwoFilesPatch('a/f', 'b/f', before, after, '', '', { context: 3 });
      if (before === '') return;
      expect(apply(patch, ends(before))).toBe(ends(after));
    }),
    { numRuns: 500 },
  );
});

test('no patch makes the parser throw anything but a sentence', () => {
  const line = fc.constantFrom(
    '--- a/f',
    '+++ b/f',
    '@@ -1,2 +1,2 @@',
    '@@',
    ' a',
    '+b',
    '-c',
    '\\ No',
    '',
    'diff --git a/x b/x',
    '--- /dev/null',
    '+++ /dev/null',
    'rename from x',
    '"',
    '@@ -99999999999999999999 +1 @@',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.option(fc.constant('a\nc\n')), (lines, before) => {
      try {
        for (const file of parseFilePatches(lines.join('\n'))) applyFilePatch(file, before);
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError);
      }
    }),
    { numRuns: 2000 },
  );
});

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder();
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}

const THREE_FILES = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+1
 two
--- /dev/null
+++ b/new/c.txt
@@ -0,0 +1,2 @@
+x
+y
\\ No newline at end of file
--- a/gone.txt
+++ /dev/null
@@ -1,1 +0,0 @@
-bye
`;

describe('the tool', () => {
  test('changes, creates and deletes, with one diff and one question for each file', async () => {
    const folder = await folderWith({ 'a.txt': 'one\ntwo\n', 'gone.txt': 'bye\n' });
    const { asked, permit } = askingTheTest();
    const done = runTool(patchTool, folder, { patch: THREE_FILES }, { permit });
    for (const count of [1, 2, 3]) {
      await eventually(() => expect(asked).toHaveLength(count));
      expect(await readdir(folder)).toEqual(['a.txt', 'gone.txt']);
      asked[count - 1]?.answer({ allowed: true, by: count === 2 ? 'user' : 'mode' });
    }
    const result = await done;
    expect(asked.map(({ kind, title, toolName }) => [toolName, kind, title])).toEqual([
      ['patch', 'write', 'a.txt'],
      ['patch', 'write', 'new/c.txt'],
      ['patch', 'write', 'gone.txt'],
    ]);
    expect(asked[2]?.diff).toContain('-bye');
    expect(result).toMatchObject({
      status: 'ok',
      output: 'Patched a.txt.\nCreated new/c.txt.\nDeleted gone.txt.',
    });
    expect(result).not.toHaveProperty('approvedBy');
    expect(result.diff?.match(/^\+\+\+ .*$/gmu)).toEqual(['+++ a.txt', '+++ new/c.txt', '+++ gone.txt']);
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('1\ntwo\n');
    expect(await readFile(join(folder, 'new/c.txt'), 'utf8')).toBe('x\ny');
    expect((await readdir(folder)).sort()).toEqual(['a.txt', 'new']);
  });

  test.each([
    [
      'a hunk that does not fit',
      { 'a.txt': 'one\nTWO\n', 'gone.txt': 'bye\n' },
      /a\.txt, hunk 1 .*does not fit/u,
    ],
    ['a missing file', { 'gone.txt': 'bye\n' }, /a\.txt does not exist/u],
    ['more to delete', { 'a.txt': 'one\ntwo\n', 'gone.txt': 'bye\nbye\n' }, /gone\.txt: .*every line/u],
  ])('%s changes nothing, and nobody is asked', async (_name, files, message) => {
    const folder = await folderWith(files);
    const { asked, permit } = askingTheTest();
    const result = await runTool(patchTool, folder, { patch: THREE_FILES }, { permit });
    expect(result).toMatchObject({ status: 'error', output: expect.stringMatching(message) });
    expect(result.output).toMatch(/Nothing of the patch was applied\.$/u);
    expect(asked).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(Object.keys(files).sort());
  });

  test('one no is a no for all', async () => {
    const folder = await folderWith({ 'a.txt': 'one\ntwo\n', 'gone.txt': 'bye\n' });
    const patch = `${THREE_FILES}--- a/../out.txt\n+++ b/../out.txt\n@@ -1 +1 @@\n-a\n+b\n`;
    const result = await runTool(patchTool, folder, { patch }, { permit: permitting('write') });
    expect(result).toMatchObject({
      status: 'denied',
      output: 'Not allowed: write-outside. Nothing of the patch was applied.',
    });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  test('what was changed is put back when a later file fails', async () => {
    const folder = await folderWith({ 'a.txt': 'one\ntwo\n', 'gone.txt': 'bye\n' });
    await mkdir(join(folder, 'new'));
    const { asked, permit } = askingTheTest();
    const done = runTool(patchTool, folder, { patch: THREE_FILES }, { permit });
    for (const count of [1, 2]) {
      await eventually(() => expect(asked).toHaveLength(count));
      asked[count - 1]?.answer({ allowed: true, by: 'user' });
    }
    await eventually(() => expect(asked).toHaveLength(3));
    // Writing into the folder fails for everybody: also root cannot make a file below a file.
    await rm(join(folder, 'new'), { recursive: true });
    await writeFile(join(folder, 'new'), 'in the way');
    asked[2]?.answer({ allowed: true, by: 'user' });
    expect((await done).status).toBe('error');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await readFile(join(folder, 'gone.txt'), 'utf8')).toBe('bye\n');
  });

  test('a file under two names is refused, and modes stay', async () => {
    const folder = await folderWith({ 'a.txt': 'one\ntwo\n' });
    await symlink('a.txt', join(folder, 'b.txt'));
    await chmod(join(folder, 'a.txt'), 0o755);
    const hunk = '@@ -1,2 +1,2 @@\n-one\n+1\n two\n';
    const patch = `--- a/a.txt\n+++ b/a.txt\n${hunk}--- a/b.txt\n+++ b/b.txt\n${hunk}`;
    const result = await runTool(patchTool, folder, { patch });
    expect(result).toMatchObject({ status: 'error', output: expect.stringContaining('twice') });
  });

  test.each([
    ['nothing', 'hello', /no file/u],
    ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b\n', /has no file/u],
    ['a rename', '--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-a\n+b\n', /renames/u],
    ['too much', `--- a/f\n+++ b/f\n@@ -1 +1 @@\n-${'x'.repeat(1024 * 1024)}\n+b\n`, /larger than 1 MB/u],
    ['a hook', '--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n', /Not allowed: bash/u],
  ])('%s is refused in words', async (_name, patch, message) => {
    const result = await runTool(patchTool, await tempFolder(), { patch }, { permit: permitting('write') });
    expect(result.status).not.toBe('ok');
    expect(result.output).toMatch(message);
  });

  test('the title names the files', () => {
    expect(patchTool.title({ patch: THREE_FILES }, '/w')).toBe('a.txt, new/c.txt, gone.txt');
    expect(patchTool.title({ patch: 'x' }, '/w')).toBe('patch');
  });
});
