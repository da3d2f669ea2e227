import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { retryAfter, type Trouble } from '../../src/agent/provider/guarded-fetch.ts';
import { retryDelay } from '../../src/agent/provider/trouble.ts';
import {
  APIS,
  eventsOf,
  eventually,
  modelServer,
  type NetworkApi,
  ofType,
  providerAt,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

const status = (code: number, retryAfterMs: number | null = null): Trouble => ({
  kind: 'status',
  status: code,
  retryAfterMs,
});

test.each<[string, Trouble | null, number, number | null]>([
  ['a busy server', status(429), 0, 10],
  ['a busy server, again', status(529), 1, 20],
  ['a busy server, too often', status(503), 2, null],
  ['a server that asks for more time', status(429, 900), 0, 900],
  ['a server that asks for less time', status(429, 1), 1, 20],
  ['a server that asks for too much time', status(429, 30_001), 0, null],
  ['a timeout', status(408), 0, 10],
  ['a broken connection', { kind: 'network', code: 'ECONNRESET' }, 0, 10],
  ['a refused key', status(401), 0, null],
  ['a forbidden model', status(403), 0, null],
  ['a bad request', status(400, 1), 0, null],
  ['silence', { kind: 'silent', afterMs: 5 }, 0, null],
  ['too much', { kind: 'too-large' }, 0, null],
  ['anything else', null, 0, null],
])('%s: the next attempt', (_name, trouble, attempt, delay) => {
  expect(retryDelay(trouble, attempt, [10, 20])).toBe(delay);
});

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:07 GMT' }, 6000],
  [{ 'retry-after': 'Wed, 31 Dec 1969 23:59:00 GMT' }, 0],
  [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '-5' }, null],
  [{}, null],
])('%j is a wait of %s ms', (headers, ms) => {
  expect(retryAfter(new Headers(Object.entries(headers)), 1000)).toBe(ms);
});

/** A model server that answers every request by hand. */
async function serverThat(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const startOf: Readonly<Record<NetworkApi, string>> = {
  'openai-completions':
    'data: {"id":"1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"half"},"finish_reason":null}]}\n\n',
  'anthropic-messages': [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":0}}}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}\n\n',
  ].join(''),
};

describe.each(APIS)('over %s', (api) => {
  const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1, 1], idleMs: 10_000 } });

  test('a busy server is asked again when it says', async () => {
    const lines: string[] = [];
    const patient = createAgentRuntime({ timing: { retryDelaysMs: [1] }, log: (line) => lines.push(line) });
    const server = await modelServer({ script: () => [{ error: 429, headers: { 'retry-after': '29' } }] });
    const turn = patient.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events = eventsOf(turn);
    await eventually(() => expect(lines).toEqual([expect.stringContaining('next attempt in 29000 ms')]));
    turn.abort();
    expect((await events).at(-1)).toEqual({ type: 'end', status: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  test('a short wait is kept, and leaves no trace', async () => {
    const server = await modelServer({
      script: ({ attempt }) =>
        attempt === 0 ? [{ error: 429, headers: { 'retry-after-ms': '50' } }] : [{ text: 'now' }],
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(textOf(events)).toBe('now');
    expect(ofType(events, 'request')).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ['a long wait', { error: 429, headers: { 'retry-after': '3600' } }, /busy, or the quota is used up/u],
    ['a refused key', { error: 401 }, /refuses the key \(401\)/u],
    ['a refused key with a wait', { error: 401, headers: { 'retry-after': '1' } }, /refuses the key/u],
    ['a bad request', { error: 400 }, /answered with an error \(400\)/u],
  ])('%s ends the turn at once, with a next step', async (_name, step, notice) => {
    const server = await modelServer({ script: () => [step] });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(events.at(-1)).toMatchObject({ status: 'failed', notice: expect.stringMatching(notice) });
    expect(server.requests).toHaveLength(1);
  });

  test('a server that stays busy is given up', async () => {
    const server = await modelServer({ script: () => [{ error: 503 }] });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      notice: expect.stringMatching(/error \(503\)/u),
    });
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    ['no JSON', 'data: {"a":\n\n'],
    ['HTML', '<html><body>Bad gateway</body></html>'],
    ['JSON of another kind', 'data: 42\n\ndata: []\n\ndata: "x"\n\n'],
    ['nothing at all', ''],
    ['half an answer', null],
    ['half an answer and half a character', Buffer.from([0x64, 0xe2, 0x82])],
  ])('an answer of %s fails in words', async (_name, bytes) => {
    const url = await serverThat((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (bytes === null || typeof bytes !== 'string') response.write(startOf[api]);
      response.end(bytes ?? undefined);
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(url, api) })),
    );
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      status: 'failed',
      notice: expect.stringMatching(/could not be used/u),
    });
  });

  test('a server that takes the request and says nothing is given up', async () => {
    const hasty = createAgentRuntime({ timing: { firstByteMs: 150, retryDelaysMs: [1] } });
    let requests = 0;
    const url = await serverThat(() => {
      requests += 1;
    });
    const events = await eventsOf(
      hasty.startTurn(turnRequest(await tempFolder(), { provider: providerAt(url, api) })),
    );
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      notice: 'The model server sent nothing for 0.15 s. Try again.',
    });
    expect(requests).toBe(1);
  });
});
