import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { discoverLocalServers } from '../../src/agent/discover.ts';
import { sdkModel } from '../../src/agent/provider/catalogue.ts';
import type { ProviderSpec } from '../../src/agent/runtime.ts';
import { DEMO, eventsOf, modelServer, ofType, providerAt, tempFolder, turnRequest } from './support.ts';

const { signal } = new AbortController();
const runtime = createAgentRuntime();

/** A server that answers everything with one body. */
async function serverThatSays(body: string): Promise<string> {
  const server = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const vendor = (api: 'anthropic-messages' | 'openai-completions'): ProviderSpec & { api: typeof api } => ({
  api,
  id: 'vendor',
  label: 'Vendor',
  baseUrl: null,
  apiKey: 'key',
});

test('the demo has one model', async () => {
  expect(await runtime.listModels(DEMO, signal)).toEqual([
    {
      id: 'demo-1',
      label: 'Demo model (scripted, offline)',
      contextWindow: 32_000,
      maxOutputTokens: 8000,
      thinkingLevels: ['default'],
    },
  ]);
});

test('the vendors have built-in models with their thinking levels', async () => {
  const anthropic = await runtime.listModels(vendor('anthropic-messages'), signal);
  expect(anthropic).toContainEqual({
    id: 'claude-sonnet-4-6',
    label: expect.any(String),
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    thinkingLevels: ['default', 'low', 'medium', 'high', 'max'],
  });
  const openai = await runtime.listModels(vendor('openai-completions'), signal);
  const levels = new Map(openai.map((model) => [model.id, model.thinkingLevels]));
  expect(levels.get('gpt-5.2')).toEqual(['default', 'low', 'medium', 'high', 'x_high']);
  expect(levels.get('gpt-4.1')).toEqual(['default']);
});

test('OpenAI itself is asked through the Responses API, and nobody may answer with another model', () => {
  expect(sdkModel(vendor('openai-completions'), 'gpt-5.2', undefined).api).toBe('openai-responses');
  expect(sdkModel(vendor('openai-completions'), 'brand-new', undefined).api).toBe('openai-responses');
  const fable = sdkModel(vendor('anthropic-messages'), 'claude-fable-5', undefined);
  expect(fable.compat).toMatchObject({ forceAdaptiveThinking: true, allowedFallbackModels: [] });
});

test('a server tells its own models, and the window is used in the next turn', async () => {
  const body = {
    data: [
      { id: 'm1', context_length: 4096 },
      { id: 'm2', max_model_len: 'odd' },
    ],
  };
  const lister = await serverThatSays(JSON.stringify(body));
  const models = await runtime.listModels(providerAt(lister, 'openai-completions'), signal);
  expect(models.map((model) => [model.id, model.contextWindow])).toEqual([
    ['m1', 4096],
    ['m2', null],
  ]);
  const server = await modelServer({ script: () => [{ text: 'ok' }], contextLength: 4096 });
  const provider = providerAt(server.url, 'openai-completions');
  expect(await runtime.listModels(provider, signal)).toMatchObject([
    { id: 'scripted-1', contextWindow: 4096 },
  ]);
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { provider })));
  expect(ofType(events, 'usage')[0]?.window).toBe(4096);
  expect(server.requests[0]?.body).not.toHaveProperty('max_completion_tokens');
});

test.each([
  ['<html>', /the answer is not JSON/u],
  ['{"models":[]}', /the answer is not a list of models/u],
  [JSON.stringify({ data: [{ name: 'a' }, 'b', null] }), /the answer is not a list of models/u],
  [JSON.stringify('x'.repeat(9_000_000)), /the answer is too large/u],
])('a strange list is refused (%#)', async (body, message) => {
  const provider = providerAt(await serverThatSays(body), 'openai-completions');
  await expect(runtime.listModels(provider, signal)).rejects.toThrow(message);
});

test('an odd entry does not cost the others', async () => {
  const odd = [null, 'text', { name: 'x' }, { id: 5 }, { id: 'a\u0007b' }, { id: 'x'.repeat(300) }];
  const data = [...odd, ...Array.from({ length: 3_000 }, (_, index) => ({ id: `m${index}`, meta: 'odd' }))];
  const provider = providerAt(await serverThatSays(JSON.stringify({ data })), 'openai-completions');
  const models = await runtime.listModels(provider, signal);
  expect(models.length).toBe(2_000);
  expect(models.slice(3, 8).map(({ id }) => id)).toEqual(['', 'a\u0007b', 'x'.repeat(300), 'm0', 'm1']);
});

test('an unreachable server is named', async () => {
  const server = await modelServer({ script: () => [] });
  await server.close();
  const provider = providerAt(server.url, 'openai-completions');
  await expect(runtime.listModels(provider, signal)).rejects.toThrow(
    `Cannot list the models of ${new URL(server.url).host}: connection refused.`,
  );
});

test('discovery finds servers that list models and leaves out everything else', async () => {
  const server = await modelServer({ script: () => [], models: ['a', 'b'] });
  const dead = await modelServer({ script: () => [] });
  await dead.close();
  const port = (url: string): number => Number(new URL(url).port);
  const found = await discoverLocalServers(signal, {
    timeoutMs: 10_000,
    ports: {
      ollama: port(server.url),
      'lm-studio': port(dead.url),
      'llama.cpp': port(await serverThatSays('<html>')),
      vllm: port(await serverThatSays('{"data":"none"}')),
    },
  });
  expect(found).toEqual([{ id: 'ollama', label: 'Ollama', baseUrl: `${server.url}/v1`, models: ['a', 'b'] }]);
});
