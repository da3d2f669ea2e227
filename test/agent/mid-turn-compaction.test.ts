import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import type { AgentEvent, HistoryItem, TurnRequest } from '../../src/agent/runtime.ts';
import type { ModelScript, SeenRequest } from '../support/model-server.ts';
import { recordsOf } from '../support/model-server-steps.ts';
import {
  APIS,
  eventsOf,
  follow,
  modelServer,
  type NetworkApi,
  ofType,
  providerAt,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

/** What is assumed of a model that nothing is known about, in tokens. */
const WINDOW = 32_768;
const FILE_BYTES = 30_000;
const READS = 8;

const isForSummary = (text: string): boolean => text.startsWith('<conversation>');

interface Scene {
  readonly api: NetworkApi;
  readonly summary?: ModelScript;
  /** Instead of the model, for the turn's own request of that number. */
  readonly instead?: (at: number) => ReturnType<ModelScript> | null;
  readonly changes?: Partial<TurnRequest>;
  readonly fileBytes?: number;
}

/** A model that reads a large file again and again, and then answers. */
async function reader({ api, changes = {}, fileBytes = FILE_BYTES, instead, summary }: Scene) {
  let asked = 0;
  const server = await modelServer({
    script: (request) => {
      if (isForSummary(request.lastUser))
        return summary?.(request) ?? [{ text: 'They want all of it read.' }];
      const at = asked;
      asked += 1;
      const other = instead?.(at) ?? null;
      if (other !== null) return other;
      if (asked > READS) return [{ text: 'done' }];
      return [{ text: `reading ${at}` }, { toolCall: 'read', args: { path: `big-${at}.txt` } }];
    },
  });
  const workspace = await tempFolder();
  for (let at = 0; at <= READS; at += 1)
    await writeFile(join(workspace, `big-${at}.txt`), `file ${at} ${'lorem ipsum\n'.repeat(fileBytes / 12)}`);
  const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1] } });
  const request = turnRequest(workspace, {
    provider: providerAt(server.url, api),
    prompt: 'read everything, please',
    ...changes,
  });
  const turn = () => runtime.startTurn(request);
  const own = () => server.requests.filter(({ body }) => 'tools' in body);
  return { server, turn, own, request, runtime };
}

/** Calls without a result, and results without a call, in a request of either API. */
function unpaired({ body }: SeenRequest): number {
  const messages = recordsOf(body.messages);
  const blocks = messages.flatMap(({ content }) => recordsOf(content));
  const calls =
    messages.flatMap(({ tool_calls }) => recordsOf(tool_calls)).length +
    blocks.filter(({ type }) => type === 'tool_use').length;
  const results =
    messages.filter(({ role }) => role === 'tool').length +
    blocks.filter(({ type }) => type === 'tool_result').length;
  return Math.abs(calls - results);
}

const sizeOf = ({ body }: SeenRequest): number => Buffer.byteLength(JSON.stringify(body.messages));
const order = (events: readonly AgentEvent[]): string[] =>
  events
    .filter(({ type }) => ['request', 'compaction', 'tool-end', 'end'].includes(type))
    .map((event) => (event.type === 'compaction' ? event.status : event.type));

describe.each(APIS)('a turn that fills the window by itself, over %s', (api) => {
  test('goes on from a summary, what the user wants, and the newest results', async () => {
    const earlier: HistoryItem[] = [
      { kind: 'user', text: 'long ago' },
      { kind: 'assistant', text: 'answered' },
    ];
    const { own, server, turn } = await reader({ api, changes: { history: earlier } });
    const events = await eventsOf(turn());
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
    expect(textOf(events)).toContain('done');
    expect(ofType(events, 'tool-end').map(({ status }) => status)).toEqual(Array(READS).fill('ok'));
    const compactions = ofType(events, 'compaction');
    expect(compactions.map(({ status }) => status).slice(0, 2)).toEqual(['running', 'completed']);
    expect(compactions.length % 2).toBe(0);
    for (const { after, before, status } of compactions) {
      expect(before).toBeGreaterThan(WINDOW * 0.8);
      if (status === 'completed') expect(after).toBeLessThan(WINDOW * 0.6);
    }
    // Between the result of a tool and the next request, which is counted on.
    const told = order(events);
    const at = told.indexOf('running');
    expect(told.slice(at - 1, at + 3)).toEqual(['tool-end', 'running', 'completed', 'request']);
    expect(ofType(events, 'request').map(({ index }) => index)).toEqual(own().map((_, index) => index));
    expect(ofType(events, 'usage').filter(({ compaction }) => compaction === true)).toHaveLength(
      compactions.length / 2,
    );
    for (const request of server.requests) {
      expect(unpaired(request)).toBe(0);
      expect(sizeOf(request)).toBeLessThan(WINDOW * 3.5);
    }
    const last = JSON.stringify(own().at(-1)?.body.messages);
    expect(last).toContain('They want all of it read.');
    expect(last).toContain('read everything, please');
    expect(last).toContain(`file ${READS - 1} `);
    expect(last).not.toContain('long ago');
    expect(last).not.toContain('file 0 ');
    const [asked] = server.requests.filter(({ body }) => !('tools' in body));
    const forSummary = JSON.stringify(asked?.body.messages);
    for (const part of ['long ago', 'read everything, please', 'reading 0', 'file 1 '])
      expect(forSummary).toContain(part);
  });

  test('loses its oldest steps when no summary can be made', async () => {
    const { own, server, turn } = await reader({ api, summary: () => [{ error: 400 }] });
    const events = await eventsOf(turn());
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
    expect(ofType(events, 'compaction').map(({ status }) => status)).toContain('failed');
    expect(ofType(events, 'notice')[0]?.text).toContain('oldest messages are left out');
    expect(server.requests.map(unpaired)).toEqual(server.requests.map(() => 0));
    const last = JSON.stringify(own().at(-1)?.body.messages);
    expect(last).toContain('read everything, please');
    expect(last).toContain(`file ${READS - 1} `);
    expect(last).not.toContain('file 0 ');
  });

  test('is stopped while its summary is made', async () => {
    const { turn } = await reader({ api, summary: () => [{ stall: true }] });
    const running = turn();
    const events = await follow(running, (event) => {
      if (event.type === 'compaction' && event.status === 'running') running.abort();
    });
    expect(ofType(events, 'compaction').at(-1)?.status).toBe('cancelled');
    expect(events.at(-1)).toEqual({ type: 'end', status: 'cancelled' });
  });

  test('what was said into it stays', async () => {
    const { own, turn } = await reader({ api });
    const running = turn();
    let calls = 0;
    const events = await follow(running, (event) => {
      if (event.type !== 'tool-start') return;
      calls += 1;
      if (calls === 1) running.steer('and mind the tabs');
    });
    expect(ofType(events, 'compaction').length).toBeGreaterThan(0);
    const last = JSON.stringify(own().at(-1)?.body.messages);
    expect(last).toContain('and mind the tabs');
    expect(last.indexOf('read everything')).toBeLessThan(last.indexOf('and mind the tabs'));
  });

  test('a request that is too long for the server is made again, shorter', async () => {
    // Larger than the server takes, and smaller than is believed that it takes.
    const { own, server, turn } = await reader({
      api,
      instead: (at) => (at === 2 ? [{ error: 413 }] : null),
    });
    const events = await eventsOf(turn());
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
    const told = order(events);
    expect(told.slice(told.indexOf('running') - 1, told.indexOf('running') + 3)).toEqual([
      'request',
      'running',
      'completed',
      'request',
    ]);
    const [, , refused, again] = own();
    if (refused === undefined || again === undefined) throw new Error('too few requests');
    expect(sizeOf(again)).toBeLessThan(sizeOf(refused) / 2);
    expect(JSON.stringify(again.body.messages)).toContain('They want all of it read.');
    expect(server.requests.map(unpaired)).toEqual(server.requests.map(() => 0));
    expect(ofType(events, 'notice')).toEqual([]);
  });

  test('a request that stays too long fails, with words for people', async () => {
    const { own, turn } = await reader({ api, instead: (at) => (at >= 2 ? [{ error: 413 }] : null) });
    const events = await eventsOf(turn());
    expect(own()).toHaveLength(4);
    expect(ofType(events, 'compaction').map(({ status }) => status)).toEqual(['running', 'completed']);
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      notice: expect.stringContaining('too long for the model'),
    });
  });
});

test.each([
  [
    'openai-completions',
    {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  ],
  [
    'openai-completions',
    { message: 'the request exceeds the available context size (4096 tokens), try increasing it', code: 400 },
  ],
  [
    'anthropic-messages',
    { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
  ],
] as const)('the words of %s for that are known (%#)', async (api, error) => {
  const { request, runtime, server } = await reader({ api });
  let count = 0;
  const front = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(Buffer.from(part));
    const body = Buffer.concat(parts).toString();
    count += 1;
    if (count === 3) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error }));
      return;
    }
    const answer = await fetch(`${server.url}${incoming.url}`, { method: 'POST', body });
    response.writeHead(answer.status, { 'content-type': 'text/event-stream' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  const address = front.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const events = await eventsOf(runtime.startTurn({ ...request, provider: providerAt(url, api) }));
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  expect(order(events)).toContain('completed');
});

test('a result that is larger than the rest of the window is shortened', async () => {
  const { own, turn } = await reader({
    api: 'openai-completions',
    fileBytes: 64_000,
    changes: { history: [] },
  });
  const events = await eventsOf(turn());
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  const last = JSON.stringify(own().at(-1)?.body.messages);
  expect(last).toContain('cut here: the conversation became too long');
  expect(Math.max(...own().map(sizeOf))).toBeLessThan(WINDOW * 3.5);
});

test('a subagent compacts too, and says nothing of it', async () => {
  let asked = 0;
  const server = await modelServer({
    script: ({ lastUser, toolResults }) => {
      if (isForSummary(lastUser)) return [{ text: 'read so far' }];
      if (lastUser === 'hello')
        return toolResults.length > 0
          ? [{ text: toolResults.join() }]
          : [{ toolCall: 'task', args: { title: 'read', prompt: 'read all' } }];
      asked += 1;
      return asked > READS ? [{ text: 'all read' }] : [{ toolCall: 'read', args: { path: 'big.txt' } }];
    },
  });
  const workspace = await tempFolder();
  await writeFile(join(workspace, 'big.txt'), 'lorem ipsum\n'.repeat(FILE_BYTES / 12));
  const provider = providerAt(server.url, 'openai-completions');
  const events = await eventsOf(createAgentRuntime().startTurn(turnRequest(workspace, { provider })));
  expect(textOf(events.filter((event) => !('subagent' in event)))).toBe('all read');
  expect(ofType(events, 'compaction')).toEqual([]);
  const summaries = server.requests.filter(({ body }) => !('tools' in body));
  expect(summaries.length).toBeGreaterThan(0);
  const counted = ofType(events, 'usage').filter(({ compaction }) => compaction === true);
  expect(counted).toHaveLength(summaries.length);
  expect(counted.every(({ subagent }) => subagent !== undefined)).toBe(true);
});
