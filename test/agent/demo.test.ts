import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import {
  askingTheTest,
  eventsOf,
  eventually,
  follow,
  ofType,
  permitting,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

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
  ['read ../x', ['read ../x denied'], /refused: read-outside is off\.[\s\S]+```\nallow read-outside\n```/u],
  ['write NEW.md: text', ['write NEW.md ok'], /Done\. Created NEW\.md/u],
  ['create other.txt', ['write other.txt ok'], /Done\. Created other\.txt/u],
  ['replace hello with "good bye" in NOTE.md', ['edit NOTE.md ok'], /Edited NOTE\.md: one place/u],
  ['run git status', ['bash git status denied'], /```\nallow bash\n```/u],
  ['find *.md', ['find *.md ok'], /```\nNOTE\.md\n```/u],
  ['grep world', ['grep world ok'], /NOTE\.md:1:hello world/u],
  ['ask for permission', ['bash echo "You allowed it." denied'], /refused: bash is off/u],
  [
    'patch',
    ['read DEMO.md error', 'patch DEMO.md ok'],
    /It is not: I create it\.\n\nDone\. Created DEMO\.md\./u,
  ],
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
  const request = { prompt: 'run echo hi there', permit: permitting('bash') };
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), request)));
  expect(textOf(events)).toContain('It worked:\n\n```\nhi there\n```');
});

test('thinks before it answers', async () => {
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'think' })));
  const types = events.map((event) => event.type);
  expect(types.indexOf('thinking')).toBeLessThan(types.indexOf('text'));
});

test('asks for permission and goes on with a yes', async () => {
  const { asked, permit } = askingTheTest();
  const request = turnRequest(await tempFolder(), { prompt: 'ask permission', permit });
  const events = eventsOf(runtime.startTurn(request));
  await eventually(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({ kind: 'bash', subject: 'echo "You allowed it."' });
  asked[0]?.answer({ allowed: true, by: 'user' });
  expect(textOf(await events)).toContain('It worked:\n\n```\nYou allowed it.\n```');
});

test('spawns a subagent that does what it is told', async () => {
  const folder = await folderWithNote();
  const prompt = 'spawn a subagent to read NOTE.md';
  const events = await eventsOf(runtime.startTurn(turnRequest(folder, { prompt })));
  const [start] = ofType(events, 'subagent-start');
  const tools = ofType(events, 'tool-start').map(({ name, subagent }) => [name, subagent]);
  expect(tools).toEqual([
    ['task', undefined],
    ['read', start?.agentId],
  ]);
  const own = textOf(events.filter((event) => event.type === 'text' && event.subagent === undefined));
  expect(own.startsWith(LABEL)).toBe(true);
  expect(own).toMatch(/It answered:\n\n````\nIt starts like this:[\s\S]+hello world/u);
  const nested = textOf(events.filter((event) => event.type === 'text' && event.subagent !== undefined));
  expect(nested.startsWith(LABEL)).toBe(true);
  expect(ofType(events, 'subagent-stop').map(({ status }) => status)).toEqual(['completed']);
});

test('a subagent cannot spawn another one', async () => {
  const request = turnRequest(await tempFolder(), { prompt: 'spawn a subagent to spawn a subagent' });
  const events = await eventsOf(runtime.startTurn(request));
  expect(ofType(events, 'subagent-stop').map(({ status }) => status)).toEqual(['failed']);
  expect(ofType(events, 'tool-end')).toMatchObject([
    { status: 'error', output: expect.stringContaining('a subagent cannot start another one') },
  ]);
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
});

test('patches the same file again and again', async () => {
  const folder = await tempFolder();
  for (const _time of [1, 2, 3]) await eventsOf(runtime.startTurn(turnRequest(folder, { prompt: 'patch' })));
  expect(await readFile(join(folder, 'DEMO.md'), 'utf8')).toBe('# Patched 3 times\nby the demo model\n');
});

test('fails when it is asked to, in words', async () => {
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'fail' })));
  expect(textOf(events)).toBe(`${LABEL}I fail now, as you asked.`);
  const words = 'The demo model failed because it was asked to. Send something else.';
  expect(events.at(-1)).toEqual({ type: 'end', status: 'failed', message: words, notice: words });
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
