import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { APIS, eventsOf, modelServer, providerAt, tempFolder, textOf, turnRequest } from './support.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Stands in for the network: remembers the request, answers with server-sent events. */
function stubVendor(events: readonly { readonly type: string }[]) {
  const sent = { url: '', headers: new Headers(), body: '' };
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit) => {
    sent.url = String(url);
    sent.headers = new Headers(init.headers);
    sent.body = String(init.body);
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  return sent;
}

test('OpenAI itself is asked through the Responses API', async () => {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
  const part = { type: 'output_text', text: '', annotations: [] };
  const usage = { input_tokens: 8, output_tokens: 2, total_tokens: 10 };
  const sent = stubVendor([
    { type: 'response.created', ...{ response: { id: 'resp_1', status: 'in_progress' } } },
    { type: 'response.output_item.added', ...{ output_index: 0, item: { ...item, content: [] } } },
    { type: 'response.content_part.added', ...{ output_index: 0, content_index: 0, item_id: 'msg_1', part } },
    {
      type: 'response.output_text.delta',
      ...{ output_index: 0, content_index: 0, item_id: 'msg_1', delta: 'hi' },
    },
    {
      type: 'response.output_item.done',
      ...{ output_index: 0, item: { ...item, content: [{ ...part, text: 'hi' }] } },
    },
    { type: 'response.completed', ...{ response: { id: 'resp_1', status: 'completed', output: [], usage } } },
  ]);
  const events = await eventsOf(
    createAgentRuntime().startTurn(
      turnRequest(await tempFolder(), {
        provider: { api: 'openai-completions', id: 'openai', label: 'OpenAI', baseUrl: null, apiKey: 'key' },
        modelId: 'gpt-5.2',
        thinkingLevel: 'x_high',
      }),
    ),
  );
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  expect(textOf(events)).toBe('hi');
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'usage', contextTokens: 10, window: 400_000 }),
  );
  expect(sent.url).toBe('https://api.openai.com/v1/responses');
  expect(sent.headers.get('authorization')).toBe('Bearer key');
  expect(JSON.parse(sent.body)).toMatchObject({ model: 'gpt-5.2', reasoning: { effort: 'xhigh' } });
});

test.each([
  ['default', undefined],
  ['high', 'high'],
  ['max', 'max'],
  ['no such level', undefined],
])('the level %s reaches an Anthropic gateway as effort %s', async (thinkingLevel, effort) => {
  const server = await modelServer({ script: () => [{ text: 'ok' }] });
  await eventsOf(
    createAgentRuntime().startTurn(
      turnRequest(await tempFolder(), {
        provider: providerAt(server.url, 'anthropic-messages'),
        modelId: 'claude-sonnet-4-6',
        thinkingLevel,
      }),
    ),
  );
  const body = server.requests[0]?.body ?? {};
  if (effort === undefined) {
    expect(body).not.toHaveProperty('thinking');
    expect(body).not.toHaveProperty('output_config');
  } else {
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort } });
  }
});

test.each(APIS)('the instructions and the tools come first over %s', async (api) => {
  const server = await modelServer({
    script: ({ messages }) => [{ text: messages[0]?.text.split('\n')[0] ?? '' }],
  });
  const folder = await tempFolder();
  const events = await eventsOf(
    createAgentRuntime().startTurn(turnRequest(folder, { provider: providerAt(server.url, api) })),
  );
  expect(textOf(events)).toMatch(/^You are a coding agent\./u);
  const sent = JSON.stringify(server.requests[0]?.body);
  for (const name of ['read', 'list', 'find', 'grep', 'write', 'edit', 'bash']) {
    expect(sent).toContain(`"name":"${name}"`);
  }
});

test('neither the import nor a demo turn loads a model SDK', async () => {
  const entry = fileURLToPath(new URL('../../src/agent/create-runtime.ts', import.meta.url));
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    const { createAgentRuntime } = await import(${JSON.stringify(entry)});
    const onImport = seen.length;
    const turn = createAgentRuntime({ timing: { demoChunkMs: 0 } }).startTurn({
      provider: { api: 'demo', id: 'demo', label: 'Demo' }, modelId: 'demo-1', thinkingLevel: 'default',
      workspace: process.cwd(), permit: async () => ({ allowed: true, by: 'mode' }), sandbox: false, history: [], prompt: 'hi',
    });
    for await (const _ of turn.events);
    const sdk = seen.filter((url) => /@earendil-works|openai|anthropic/u.test(url));
    process.stdout.write(JSON.stringify({ isSmall: onImport < 8, sdk }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(JSON.parse(stdout)).toEqual({ isSmall: true, sdk: [] });
});
