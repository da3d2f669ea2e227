import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { createLane } from '../../src/agent/lane.ts';
import type { AgentEvent } from '../../src/agent/runtime.ts';
import { createRetelling } from '../../src/agent/subagent-events.ts';
import type { LiveEvent } from '../../src/agent/turn.ts';
import type { ModelScript } from '../support/model-server-steps.ts';
import {
  APIS,
  askingTheTest,
  eventsOf,
  eventually,
  follow,
  modelServer,
  ofType,
  permitting,
  providerAt,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1] } });

const task = (title: string, prompt: string) => ({ toolCall: 'task', args: { title, prompt } });

/** The parent starts these tasks and repeats what it got; what a child does is up to the test. */
function script(tasks: readonly (readonly [string, string])[], child: ModelScript): ModelScript {
  return (request) => {
    if (request.lastUser !== 'hello') return child(request);
    if (request.toolResults.length === 0) return tasks.map(([title, prompt]) => task(title, prompt));
    return [{ text: `got: ${request.toolResults.join(' | ')}` }];
  };
}

/** The turn's own text. */
const own = (events: readonly AgentEvent[]): string =>
  textOf(events.filter((event) => event.type !== 'text' || event.subagent === undefined));

describe.each(APIS)('over %s', (api) => {
  test('works on its own and gives its last reply back', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.txt'), 'content');
    const server = await modelServer({
      script: script([['Look at a', 'read a.txt']], ({ toolResults }) =>
        toolResults.length === 0
          ? [
              { thinking: 'hm' },
              { text: 'I look.' },
              { toolCall: 'read', args: { path: 'a.txt' } },
              { toolCall: 'bash', args: { command: 'true' } },
            ]
          : [{ text: `It says: ${toolResults.join(', ')}` }],
      ),
    });
    const request = turnRequest(folder, {
      provider: providerAt(server.url, api),
      history: [{ kind: 'user', text: 'an old question' }],
    });
    const events = await eventsOf(runtime.startTurn(request));
    const answer = 'It says: content, Not allowed: bash.';
    expect(own(events)).toBe(`got: ${answer}`);
    const [start] = ofType(events, 'subagent-start');
    const [parentCall] = ofType(events, 'tool-start');
    expect(start).toEqual({
      type: 'subagent-start',
      agentId: expect.stringMatching(/^[a-z][0-9a-z]{23}$/u),
      call: parentCall?.call,
      title: 'Look at a',
    });
    const agentId = start?.agentId ?? '';
    expect(parentCall).toMatchObject({ name: 'task', title: 'Look at a' });
    expect(ofType(events, 'subagent-stop')).toEqual([
      { type: 'subagent-stop', agentId, status: 'completed' },
    ]);
    const nested = events.filter((event) => 'subagent' in event && event.subagent === agentId);
    expect([...new Set(nested.map(({ type }) => type))].sort()).toEqual([
      'text',
      'thinking',
      'tool-end',
      'tool-start',
      'usage',
    ]);
    expect(ofType(nested, 'tool-end').map(({ status }) => status)).toEqual(['ok', 'denied']);
    expect(textOf(nested)).toBe(`I look.\n\n${answer}`);
    expect(ofType(events, 'tool-end').at(-1)).toMatchObject({ status: 'ok', output: answer });
    // Requests of the turn only, usage of all.
    expect(ofType(events, 'request').map(({ index }) => index)).toEqual([0, 1]);
    expect(ofType(events, 'usage')).toHaveLength(4);
    const child = JSON.stringify(server.requests[1]?.body);
    expect(child).toContain('Another agent gives you one piece of work');
    expect(child).not.toContain('an old question');
    expect(child).not.toContain('"name":"task"');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"name":"task"');
  });

  test('four at a time, the fifth waits, and the results keep their order', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const server = await modelServer({
      script: script(
        names.map((name) => [name, name] as const),
        ({ lastUser }) => (lastUser === 'e' ? [{ text: 'e' }] : [{ text: lastUser }, { stall: true }]),
      ),
    });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events: AgentEvent[] = [];
    const done = follow(turn, (event) => events.push(event));
    await eventually(() => expect(server.open).toBe(4));
    expect(ofType(events, 'subagent-start').map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd']);
    turn.abort();
    const all = await done;
    expect(ofType(all, 'subagent-stop').map(({ status }) => status)).toEqual(Array(4).fill('cancelled'));
    expect(ofType(all, 'tool-end').map(({ status }) => status)).toEqual(Array(5).fill('cancelled'));
    expect(all.at(-1)).toEqual({ type: 'end', status: 'cancelled' });
    await eventually(() => expect(server.open).toBe(0));
    expect(server.requests).toHaveLength(5);
  });

  test('a failed one is told to the model, and the turn goes on', async () => {
    const server = await modelServer({
      script: script(
        [
          ['bad', 'bad'],
          ['good', 'good'],
        ],
        ({ lastUser }) => (lastUser === 'bad' ? [{ error: 401 }] : [{ text: 'fine' }]),
      ),
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(own(events)).toMatch(/^got: The subagent failed\. The model server refuses the key.* \| fine$/u);
    expect(own(events)).not.toContain('scripted');
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  });
});

const [API = 'openai-completions'] = APIS;

test('questions of all come to the same place, and an abort ends them', async () => {
  const { asked, permit } = askingTheTest();
  const server = await modelServer({
    script: script(
      [
        ['a', 'a'],
        ['b', 'b'],
      ],
      ({ lastUser }) => [{ toolCall: 'bash', args: { command: lastUser } }],
    ),
  });
  const request = turnRequest(await tempFolder(), { provider: providerAt(server.url, API), permit });
  const turn = runtime.startTurn(request);
  const events = eventsOf(turn);
  await eventually(() => expect(asked).toHaveLength(2));
  expect(asked.map(({ subject }) => subject).sort()).toEqual(['a', 'b']);
  turn.abort();
  const all = await events;
  const calls = new Set(ofType(all, 'tool-start').map(({ call }) => call));
  expect(asked.every(({ call }) => calls.has(call))).toBe(true);
  expect(ofType(all, 'tool-end').map(({ status }) => status)).toEqual(Array(4).fill('cancelled'));
});

test('other calls of the same reply keep their place', async () => {
  const folder = await tempFolder();
  const server = await modelServer({
    script: ({ lastUser, toolResults }) => {
      if (toolResults.length > 0) return [{ text: 'done' }];
      if (lastUser !== 'hello') return [{ toolCall: 'read', args: { path: 'a.txt' } }];
      return [
        { toolCall: 'write', args: { path: 'a.txt', content: 'first' } },
        task('one', 'one'),
        { toolCall: 'write', args: { path: 'a.txt', content: 'second' } },
      ];
    },
  });
  const events = await eventsOf(
    runtime.startTurn(turnRequest(folder, { provider: providerAt(server.url, API) })),
  );
  const read = ofType(events, 'tool-end').find(({ subagent }) => subagent !== undefined);
  expect(read?.output).toBe('first');
  expect(ofType(events, 'tool-start').map(({ name }) => name)).toEqual(['write', 'task', 'read', 'write']);
});

test('is stopped after 50 requests, and its result is bounded', async () => {
  const long = 'x'.repeat(30_000);
  const server = await modelServer({
    chunkChars: 10_000,
    script: script(
      [
        ['endless', 'endless'],
        ['long', 'long'],
      ],
      ({ lastUser }) => (lastUser === 'long' ? [{ text: long }] : [{ toolCall: 'list', args: {} }]),
    ),
  });
  const request = turnRequest(await tempFolder(), { provider: providerAt(server.url, API) });
  const events = await eventsOf(runtime.startTurn({ ...request, permit: permitting() }));
  const [endless, bounded] = ofType(events, 'tool-end')
    .filter(({ subagent }) => subagent === undefined)
    .sort((a, b) => a.output.length - b.output.length);
  expect(endless).toMatchObject({
    status: 'error',
    output: expect.stringContaining('Stopped after 50 model requests'),
  });
  expect(bounded).toMatchObject({ status: 'ok', outputBytes: 30_000 });
  expect(Buffer.byteLength(bounded?.output ?? '')).toBeLessThanOrEqual(24 * 1024);
  expect(bounded?.output).toMatch(/^x+\n\[… \d+ bytes left out …\]\nx+$/u);
  expect(
    ofType(events, 'subagent-stop')
      .map(({ status }) => status)
      .sort(),
  ).toEqual(['completed', 'failed']);
});

test('words come in large pieces, whole and in order', () => {
  const events: LiveEvent[] = [];
  const told = createRetelling('s1', { emit: (event) => events.push(event) });
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cost: 0 };
  for (let word = 0; word < 300; word += 1) told.add({ type: 'text', text: `word${word} ` });
  told.add({ type: 'request', index: 1 });
  told.add({ type: 'thinking', text: 'hm' });
  told.add({ type: 'usage', usage, contextTokens: 1, window: null });
  told.add({ type: 'text', text: 'end' });
  told.flush();
  told.flush();
  const types = ['text', 'text', 'text', 'thinking', 'usage', 'text'];
  expect(events.map(({ type }) => type)).toEqual(types);
  expect(events.every((event) => 'subagent' in event && event.subagent === 's1')).toBe(true);
  expect(textOf(events)).toMatch(/^word0 word1 .*word299 end$/u);
});

test('the lane lets neighbours overlap and nothing else', async () => {
  const lane = createLane();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const step =
    (name: string, wait: Promise<void> = Promise.resolve()) =>
    async () => {
      log.push(`+${name}`);
      await wait;
      log.push(`-${name}`);
    };
  const failing = lane.alone(async () => {
    await step('a')();
    throw new Error('a failed');
  });
  const all = [
    lane.together(step('b', gate.promise)),
    lane.together(step('c')),
    lane.alone(step('d')),
    lane.together(step('e')),
  ];
  await expect(failing).rejects.toThrow('a failed');
  await eventually(() => expect(log).toContain('-c'));
  gate.resolve();
  await Promise.all(all);
  expect(log).toEqual(['+a', '-a', '+b', '+c', '-c', '-b', '+d', '-d', '+e', '-e']);
});
