import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import {
  APIS,
  eventsOf,
  eventually,
  follow,
  modelServer,
  ofType,
  providerAt,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1, 1], idleMs: 10_000 } });

describe.each(APIS)('a turn over %s', (api) => {
  test('streams thinking and text, counts tokens and ends once', async () => {
    const server = await modelServer({
      script: () => [{ thinking: 'let me see' }, { text: 'Hello, this is a longer answer.' }],
    });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events = await eventsOf(turn);
    expect(textOf(events)).toBe('Hello, this is a longer answer.');
    expect(
      ofType(events, 'thinking')
        .map((event) => event.text)
        .join(''),
    ).toBe('let me see');
    expect(ofType(events, 'request')).toEqual([{ type: 'request', index: 0 }]);
    const [usage] = ofType(events, 'usage');
    expect(usage?.window).toBeNull();
    expect(usage?.usage.outputTokens).toBe(11);
    expect(usage?.contextTokens).toBe((usage?.usage.inputTokens ?? 0) + 11);
    expect(ofType(events, 'end')).toEqual([{ type: 'end', status: 'completed' }]);
    expect(events.at(-1)?.type).toBe('end');
  });

  test('runs a tool, edits a file and separates the replies', async () => {
    const workspace = await tempFolder();
    await writeFile(join(workspace, 'a.ts'), 'const a = 1;\n');
    const server = await modelServer({
      script: ({ toolResults }) =>
        toolResults.length === 0
          ? [
              { text: 'I change it.' },
              { toolCall: 'edit', args: { path: 'a.ts', old_text: '1', new_text: '2' } },
            ]
          : [{ text: `Done: ${toolResults.join()}` }],
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(workspace, { provider: providerAt(server.url, api) })),
    );
    expect(textOf(events)).toBe('I change it.\n\nDone: Edited a.ts: one place.');
    expect(await readFile(join(workspace, 'a.ts'), 'utf8')).toBe('const a = 2;\n');
    const [start] = ofType(events, 'tool-start');
    const [end] = ofType(events, 'tool-end');
    expect(start).toMatchObject({ name: 'edit', title: 'a.ts' });
    expect(end).toEqual({
      type: 'tool-end',
      call: start?.call,
      status: 'ok',
      output: 'Edited a.ts: one place.',
      outputBytes: 23,
      durationMs: expect.any(Number),
      timedOut: false,
      approvedBy: 'mode',
      diff: '--- a.ts\n+++ a.ts\n@@ -1,1 +1,1 @@\n-const a = 1;\n+const a = 2;\n',
    });
    expect(ofType(events, 'request').map((event) => event.index)).toEqual([0, 1]);
    expect(ofType(events, 'usage')).toHaveLength(2);
  });

  test('tells the model and the user when bash is not allowed', async () => {
    const server = await modelServer({
      script: ({ toolResults }) =>
        toolResults.length === 0
          ? [{ toolCall: 'bash', args: { command: 'touch forbidden' } }]
          : [{ text: toolResults.join() }],
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(ofType(events, 'tool-end')).toMatchObject([
      {
        status: 'denied',
        notice: 'bash is off. Allow it: allow bash',
      },
    ]);
    expect(textOf(events)).toContain('Not allowed: bash.');
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  });

  test('reports unknown tools and wrong arguments as errors and goes on', async () => {
    const server = await modelServer({
      script: ({ toolResults }) =>
        toolResults.length === 0
          ? [
              { toolCall: 'teleport', args: {} },
              { toolCall: 'read', args: { wrong: 1 } },
            ]
          : [{ text: 'sorry' }],
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(ofType(events, 'tool-start').map((event) => event.title)).toEqual(['teleport', 'read']);
    expect(ofType(events, 'tool-end').map((event) => event.status)).toEqual(['error', 'error']);
    expect(new Set(ofType(events, 'tool-end').map((event) => event.call)).size).toBe(2);
    expect(textOf(events)).toBe('sorry');
  });

  test('gives the model the history with tool calls that have unique ids', async () => {
    const server = await modelServer({ script: () => [{ text: 'ok' }] });
    const call = { kind: 'tool', call: 'same', name: 'read', args: { path: 'x' }, status: 'ok' } as const;
    await eventsOf(
      runtime.startTurn(
        turnRequest(await tempFolder(), {
          provider: providerAt(server.url, api),
          history: [
            { kind: 'user', text: 'first' },
            { kind: 'assistant', text: 'I read' },
            { ...call, output: 'one' },
            { ...call, output: 'two' },
            { kind: 'assistant', text: 'read both' },
          ],
          prompt: 'second',
        }),
      ),
    );
    const sent = JSON.stringify(server.requests[0]?.body);
    for (const text of ['first', 'I read', 'one', 'two', 'read both', 'second', 'call_2', 'call_3']) {
      expect(sent).toContain(text);
    }
    expect(sent).not.toContain('"same"');
  });

  test('stops an answer in the middle', async () => {
    const server = await modelServer({ script: () => [{ text: 'so far' }, { stall: true }] });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    let abortedAt = 0;
    const events = await follow(turn, (event) => {
      if (event.type !== 'text' || abortedAt > 0) return;
      abortedAt = performance.now();
      turn.abort();
    });
    expect(performance.now() - abortedAt).toBeLessThan(1000);
    expect(events.at(-1)).toEqual({ type: 'end', status: 'cancelled' });
    await eventually(() => expect(server.open).toBe(0));
  });

  test('asks a busy server again', async () => {
    const server = await modelServer({
      script: ({ attempt }) => (attempt < 2 ? [{ error: 503 }] : [{ text: 'here now' }]),
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(textOf(events)).toBe('here now');
    expect(ofType(events, 'request')).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  test('asks again when the connection breaks before any text', async () => {
    const server = await modelServer({
      script: ({ attempt }) => (attempt === 0 ? [{ reset: true }] : [{ text: 'second try' }]),
    });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(textOf(events)).toBe('second try');
    expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  });

  test('makes no request when it is stopped at once', async () => {
    const server = await modelServer({ script: () => [{ text: 'never' }] });
    const turn = runtime.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    turn.abort();
    expect(await eventsOf(turn)).toEqual([{ type: 'end', status: 'cancelled' }]);
    expect(server.requests).toEqual([]);
  });

  test('does not repeat a refused request', async () => {
    const server = await modelServer({ script: () => [{ error: 401 }] });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/^The model server answered with an error \(401\): .*scripted 401/u),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('can be stopped while it waits for the next attempt', async () => {
    const patient = createAgentRuntime({ timing: { retryDelaysMs: [600_000] } });
    const server = await modelServer({ script: () => [{ error: 503 }] });
    const turn = patient.startTurn(
      turnRequest(await tempFolder(), { provider: providerAt(server.url, api) }),
    );
    const events = eventsOf(turn);
    await eventually(() => expect(server.requests).toHaveLength(1));
    await eventually(() => expect(server.open).toBe(0));
    turn.abort();
    expect((await events).at(-1)).toEqual({ type: 'end', status: 'cancelled' });
  });

  test('fails in words when no server is there', async () => {
    const server = await modelServer({ script: () => [] });
    await server.close();
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    const { host } = new URL(server.url);
    expect(events.at(-1)).toEqual({
      type: 'end',
      status: 'failed',
      message: `Cannot reach the model server at ${host}: connection refused.`,
      notice: `The model server at ${host} cannot be reached (connection refused). Start it or check the address, then send again.`,
    });
  });

  test.each([
    [
      'a reset',
      [{ text: 'half' }, { reset: true }] as const,
      /^The connection to the model server at [\d.:]+ was lost\.$/u,
    ],
    [
      'bytes that are no JSON',
      [{ text: 'half' }, { raw: 'event: content_block_delta\ndata: {"a":\n\n' }] as const,
      /could not be used/u,
    ],
  ])('fails after %s in the middle and keeps the text', async (_name, steps, message) => {
    const server = await modelServer({ script: () => steps });
    const events = await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(textOf(events)).toBe('half');
    expect(events.at(-1)).toMatchObject({ status: 'failed', message: expect.stringMatching(message) });
    expect(server.requests).toHaveLength(1);
  });

  test('fails when the server goes silent', async () => {
    const hasty = createAgentRuntime({ timing: { idleMs: 200 } });
    const server = await modelServer({ script: () => [{ text: 'half' }, { stall: true }] });
    const events = await eventsOf(
      hasty.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api) })),
    );
    expect(events.at(-1)).toMatchObject({
      status: 'failed',
      message: 'The model server sent nothing for 0.2 s.',
    });
  });

  test('sends only what a foreign server needs', async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'secret-org');
    vi.stubEnv('OPENAI_PROJECT_ID', 'secret-project');
    const server = await modelServer({ script: () => [{ text: 'ok' }] });
    await eventsOf(
      runtime.startTurn(turnRequest(await tempFolder(), { provider: providerAt(server.url, api, null) })),
    );
    vi.unstubAllEnvs();
    const { headers = {}, body = {} } = server.requests[0] ?? {};
    expect(Object.keys(headers)).not.toContain('authorization');
    expect(Object.keys(headers)).not.toContain('x-api-key');
    expect(JSON.stringify(headers)).not.toContain('secret-');
    expect(headers['user-agent']).toMatch(/^magi-term\//u);
    expect(body).not.toHaveProperty('thinking');
    expect(body).not.toHaveProperty('max_completion_tokens');
    expect(body).not.toHaveProperty('store');
  });
});

test('a server that says in its stream that it is busy is asked again', async () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const server = await modelServer({
    script: ({ attempt }) =>
      attempt === 0 ? [{ raw: `event: error\ndata: ${JSON.stringify(error)}\n\n` }] : [{ text: 'now' }],
  });
  const provider = providerAt(server.url, 'anthropic-messages');
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { provider })));
  expect(textOf(events)).toBe('now');
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
});

test('a reader that leaves stops the turn', async () => {
  const server = await modelServer({ script: () => [{ text: 'so far' }, { stall: true }] });
  const provider = providerAt(server.url, 'openai-completions');
  const turn = runtime.startTurn(turnRequest(await tempFolder(), { provider }));
  for await (const event of turn.events) if (event.type === 'text') break;
  await eventually(() => expect(server.open).toBe(0));
});

test('a model that never stops calling tools is stopped', async () => {
  const server = await modelServer({ script: () => [{ toolCall: 'list', args: {} }] });
  const provider = providerAt(server.url, 'openai-completions');
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { provider })));
  expect(server.requests).toHaveLength(200);
  expect(events.at(-1)).toEqual({
    type: 'end',
    status: 'failed',
    message: 'Stopped after 200 model requests in one turn.',
    notice: 'Stopped after 200 model requests in one turn. Say how to go on in a new message.',
  });
});

test('a workspace that does not exist is an error of the tool, not of the turn', async () => {
  const server = await modelServer({
    script: ({ toolResults }) =>
      toolResults.length === 0 ? [{ toolCall: 'list', args: {} }] : [{ text: 'ok' }],
  });
  const provider = providerAt(server.url, 'openai-completions');
  const events = await eventsOf(runtime.startTurn(turnRequest('/does/not/exist', { provider })));
  expect(ofType(events, 'tool-end')).toMatchObject([{ status: 'error' }]);
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
});

test('a token of another client is refused', async () => {
  const provider = { ...providerAt('http://127.0.0.1:1', 'anthropic-messages', 'sk-ant-oat01-x') };
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { provider })));
  expect(events).toEqual([
    {
      type: 'end',
      status: 'failed',
      message: 'This is a subscription token of another client. An API key is needed.',
    },
  ]);
});
