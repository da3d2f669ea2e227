import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bashTool } from '../../src/agent/tools/bash.ts';
import { editTool } from '../../src/agent/tools/edit.ts';
import { readTool } from '../../src/agent/tools/read.ts';
import type { Tool } from '../../src/agent/tools/tool.ts';
import { writeTool } from '../../src/agent/tools/write.ts';
import { askingTheTest, eventually, permitting, refusal, runTool, tempFolder } from './support.ts';

const YES = { allowed: true, by: 'user' } as const;

test('says exactly what a command will do, once', async () => {
  const { asked, permit } = askingTheTest();
  const done = runTool(bashTool, await tempFolder(), { command: 'echo a\necho b', timeout: 5 }, { permit });
  const question = await eventually(() => first(asked));
  expect(question).toMatchObject({
    call: expect.stringMatching(/^[0-9a-f-]{36}$/u),
    toolName: 'bash',
    kind: 'bash',
    subject: 'echo a\necho b',
    title: 'echo a echo b',
    args: { command: 'echo a\necho b', timeout: 5 },
  });
  question.answer(YES);
  const result = await done;
  expect(result).toMatchObject({ status: 'ok', output: 'a\nb\n' });
  expect(result).not.toHaveProperty('approvedBy');
  expect(asked).toHaveLength(1);
});

test('shows the diff of an edit, and writes only after the yes', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'a.ts');
  await writeFile(file, 'let a = 1;\n');
  const { asked, permit } = askingTheTest();
  const done = runTool(editTool, folder, { path: 'a.ts', old_text: '1', new_text: '2' }, { permit });
  const question = await eventually(() => first(asked));
  const diff = '--- a.ts\n+++ a.ts\n@@ -1,1 +1,1 @@\n-let a = 1;\n+let a = 2;\n';
  expect(question).toMatchObject({ kind: 'write', subject: file, title: 'a.ts', toolName: 'edit', diff });
  expect(await readFile(file, 'utf8')).toBe('let a = 1;\n');
  question.answer(YES);
  expect(await done).toMatchObject({ status: 'ok', diff });
  expect(await readFile(file, 'utf8')).toBe('let a = 2;\n');
});

test('does not overwrite what somebody else wrote while the question waited', async () => {
  const folder = await tempFolder();
  const file = join(folder, 'a.ts');
  await writeFile(file, 'let a = 1;\n');
  const { asked, permit } = askingTheTest();
  const done = runTool(writeTool, folder, { path: 'a.ts', content: 'new\n' }, { permit });
  const question = await eventually(() => first(asked));
  await writeFile(file, 'let a = 7;\n');
  question.answer(YES);
  expect(await done).toMatchObject({ status: 'error', output: expect.stringContaining('Read it again') });
  expect(await readFile(file, 'utf8')).toBe('let a = 7;\n');
});

test.each<[string, Tool, Record<string, unknown>]>([
  ['a missing file', editTool, { path: '../none', old_text: 'a', new_text: 'b' }],
  ['a text that is not there', editTool, { path: '../other', old_text: 'zzz', new_text: 'b' }],
  ['a folder', writeTool, { path: '..', content: 'x' }],
])('a no outside of the workspace tells nothing about %s', async (_name, tool, args) => {
  const parent = await tempFolder();
  await mkdir(join(parent, 'work'));
  await writeFile(join(parent, 'other'), 'text');
  const result = await runTool(tool, join(parent, 'work'), args);
  expect(result).toMatchObject({ status: 'denied', output: 'Not allowed: write-outside.' });
});

test('asks with the real path of what is outside', async () => {
  const parent = await tempFolder();
  await mkdir(join(parent, 'work'));
  await writeFile(join(parent, 'other'), 'text');
  const { asked, permit } = askingTheTest();
  const done = runTool(readTool, join(parent, 'work'), { path: '../work/../other' }, { permit });
  const question = await eventually(() => first(asked));
  expect(question).toMatchObject({ kind: 'read-outside', subject: join(parent, 'other') });
  question.answer(YES);
  expect(await done).toMatchObject({ status: 'ok', output: 'text' });
});

test('asks nothing before reading inside, and not twice for .git', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'a.txt'), 'text');
  const { asked, permit } = askingTheTest();
  expect(await runTool(readTool, folder, { path: 'a.txt' }, { permit })).toMatchObject({ status: 'ok' });
  expect(asked).toEqual([]);
  const done = runTool(writeTool, folder, { path: '.git/config', content: 'x' }, { permit });
  const question = await eventually(() => first(asked));
  expect(question).toMatchObject({ kind: 'bash', toolName: 'write', subject: 'write .git/config' });
  question.answer(YES);
  expect(await done).toMatchObject({ status: 'ok' });
  expect(asked).toHaveLength(1);
});

test('an abort ends the wait at once, and a late yes changes nothing', async () => {
  const folder = await tempFolder();
  const controller = new AbortController();
  const { asked, permit } = askingTheTest();
  const changes = { permit, signal: controller.signal };
  const done = runTool(writeTool, folder, { path: 'a.txt', content: 'x' }, changes);
  const question = await eventually(() => first(asked));
  controller.abort();
  expect(await done).toMatchObject({ status: 'cancelled', output: 'Cancelled by the user.' });
  expect(question.signal.aborted).toBe(true);
  question.answer(YES);
  await expect(readFile(join(folder, 'a.txt'))).rejects.toThrow('ENOENT');
});

test('the wait for an answer is no part of the duration', async () => {
  const folder = await tempFolder();
  const startedAt = performance.now();
  const permit = () => new Promise<typeof YES>((resolve) => setTimeout(() => resolve(YES), 300));
  const result = await runTool(writeTool, folder, { path: 'a.txt', content: 'x' }, { permit });
  const whole = performance.now() - startedAt;
  expect(result.durationMs).toBeLessThanOrEqual(whole - 299);
});

test.each([
  ['rule', 'rule'],
  ['mode', 'mode'],
  ['user', undefined],
] as const)('a yes by %s is told as %s', async (by, approvedBy) => {
  const permit = async () => ({ allowed: true, by }) as const;
  const result = await runTool(writeTool, await tempFolder(), { path: 'a', content: '' }, { permit });
  expect(result.approvedBy).toBe(approvedBy);
});

test('a question that cannot be asked is no yes', async () => {
  const permit = () => Promise.reject(new Error('the window is closed'));
  const result = await runTool(bashTool, await tempFolder(), { command: 'true' }, { permit });
  expect(result).toMatchObject({ status: 'error', output: 'the window is closed' });
  const denied = await runTool(bashTool, await tempFolder(), { command: 'true' }, { permit: permitting() });
  expect(denied).toMatchObject({ status: 'denied', notice: expect.stringContaining('bash is off') });
  expect(denied).not.toHaveProperty('exitCode');
  expect(refusal('bash').allowed).toBe(false);
});

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('nothing was asked yet');
  return item;
}
