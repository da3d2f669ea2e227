import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { eventsOf, follow, ofType, tempFolder, textOf, turnRequest } from './support.ts';

const LABEL = '*Demo model — scripted, offline.*\n\n';
const runtime = createAgentRuntime({ timing: { demoChunkMs: 0 } });

async function folderWithNote(): Promise<string> {
  const folder = await tempFolder();
  await writeFile(join(folder, 'NOTE.md'), 'hello world\n');
  return folder;
}

test.each([
  ['hello', [], /# Welcome[\s\S]+\| --- \|[\s\S]+```sh/u],
  ['list the files, please', ['list . ok'], /\*\*0 folders\*\* and \*\*1 files\*\*[\s\S]+`NOTE\.md`/u],
  ['read NOTE.md', ['read NOTE.md ok'], /```\nhello world\n```/u],
  ['read missing.md', ['read missing.md error'], /That did not work[\s\S]+ENOENT/u],
  ['read ../x', ['read ../x denied'], /magi-term config set allow\.writeOutside true/u],
  ['write NEW.md: text', ['write NEW.md ok'], /Done\. Created NEW\.md/u],
  ['create other.txt', ['write other.txt ok'], /Done\. Created other\.txt/u],
  ['replace hello with "good bye" in NOTE.md', ['edit NOTE.md ok'], /Edited NOTE\.md: one place/u],
  ['run git status', ['bash git status denied'], /magi-term config set allow\.bash true/u],
  ['find *.md', ['find *.md ok'], /```\nNOTE\.md\n```/u],
  ['grep world', ['grep world ok'], /NOTE\.md:1:hello world/u],
  ['edit something', [], /replace OLD with NEW in FILE/u],
])('%s', async (prompt, tools, answer) => {
  const events = await eventsOf(runtime.startTurn(turnRequest(await folderWithNote(), { prompt })));
  const text = textOf(events);
  expect(text.startsWith(LABEL)).toBe(true);
  expect(text).toMatch(answer);
  const starts = ofType(events, 'tool-start');
  const ends = ofType(events, 'tool-end');
  expect(starts.map((start, index) => `${start.name} ${start.title} ${ends[index]?.status}`)).toEqual(tools);
  expect(ofType(events, 'request')).toHaveLength(tools.length + 1);
  expect(ofType(events, 'usage').at(-1)?.window).toBe(32_000);
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
});

test('really changes files', async () => {
  const folder = await folderWithNote();
  const prompt = 'replace hello with "good bye" in NOTE.md';
  const events = await eventsOf(runtime.startTurn(turnRequest(folder, { prompt })));
  expect(await readFile(join(folder, 'NOTE.md'), 'utf8')).toBe('good bye world\n');
  expect(ofType(events, 'tool-end')[0]?.diff).toContain('-hello world\n+good bye world\n');
});

test('writes a long text whole', async () => {
  const folder = await tempFolder();
  const text = 'a line of text\n'.repeat(20_000);
  await eventsOf(runtime.startTurn(turnRequest(folder, { prompt: `write big.txt: ${text}` })));
  expect(await readFile(join(folder, 'big.txt'), 'utf8')).toBe(text);
});

test('runs a command when that is allowed', async () => {
  const request = { prompt: 'run echo hi there', policy: { bash: true, writeOutside: false } };
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), request)));
  expect(textOf(events)).toContain('It worked:\n\n```\nhi there\n```');
});

test('thinks before it answers', async () => {
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'think' })));
  const types = events.map((event) => event.type);
  expect(types.indexOf('thinking')).toBeLessThan(types.indexOf('text'));
});

test('gives a long answer', async () => {
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'a long one' })));
  expect(textOf(events).split('\n').length).toBeGreaterThanOrEqual(120);
});

test('is the same every time', async () => {
  const folder = await folderWithNote();
  const ask = async () => textOf(await eventsOf(runtime.startTurn(turnRequest(folder, { prompt: 'list' }))));
  expect(await ask()).toBe(await ask());
});

test('stops at once', async () => {
  const slow = createAgentRuntime({ timing: { demoChunkMs: 1 } });
  const turn = slow.startTurn(turnRequest(await tempFolder(), { prompt: 'slow' }));
  const events = await follow(turn, (event) => {
    if (event.type === 'text') turn.abort();
  });
  expect(events.at(-1)).toEqual({ type: 'end', status: 'cancelled' });
  expect(textOf(events).length).toBeLessThan(500);
});
