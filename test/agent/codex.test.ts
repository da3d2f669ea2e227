import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { codexHeaders, standInToken } from '../../src/agent/provider/codex.ts';
import type { ProviderSpec, TurnRequest } from '../../src/agent/runtime.ts';
import { type CodexScript, startCodexServer } from '../support/codex-server.ts';
import { eventsOf, ofType, tempFolder, textOf, turnRequest } from './support.ts';

/** An opaque token: the account is known from elsewhere. */
const ACCOUNT = { access: 'made-up-access-token', accountId: 'acct-made-up' };

async function codex(script: CodexScript, changes: Partial<TurnRequest> = {}) {
  const server = await startCodexServer(script);
  onTestFinished(() => server.close());
  const named = { api: 'openai-codex-responses', id: 'openai-codex', label: 'Codex' } as const;
  const provider: ProviderSpec = { ...named, baseUrl: server.url, credential: ACCOUNT };
  const logged: string[] = [];
  const runtime = createAgentRuntime({ timing: { retryDelaysMs: [1] }, log: (line) => logged.push(line) });
  const workspace = await tempFolder();
  const run = (more: Partial<TurnRequest> = {}) =>
    eventsOf(
      runtime.startTurn(turnRequest(workspace, { provider, modelId: 'gpt-6-sol', ...changes, ...more })),
    );
  return { server, provider, runtime, workspace, logged, run };
}

test('a turn with thinking and a tool, under the account of the sign-in', async () => {
  const { run, server, workspace } = await codex(({ body }) =>
    body.input.some(({ type }) => type === 'function_call_output')
      ? [{ text: 'It says hello.' }]
      : [{ thinking: 'I must look.' }, { text: 'A moment.' }, { toolCall: 'read', args: { path: 'a.txt' } }],
  );
  await writeFile(join(workspace, 'a.txt'), 'hello');
  const events = await run();
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  expect(textOf(events)).toBe('A moment.\n\nIt says hello.');
  expect(
    ofType(events, 'thinking')
      .map(({ text }) => text)
      .join(''),
  ).toContain('I must look.');
  expect(ofType(events, 'tool-end')).toMatchObject([{ status: 'ok' }]);
  expect(ofType(events, 'usage')).toMatchObject([
    { usage: { inputTokens: 600, outputTokens: 50, cacheReadTokens: 400 }, window: 272_000 },
    { usage: { inputTokens: 600 } },
  ]);
  expect(server.requests).toHaveLength(2);
  for (const { headers, path } of server.requests) {
    expect(path).toBe('/backend-api/codex/responses');
    expect(headers).toMatchObject({
      authorization: 'Bearer made-up-access-token',
      'chatgpt-account-id': 'acct-made-up',
      originator: 'magi-term',
    });
    expect(headers['user-agent']).toContain('magi-term/');
  }
  expect(server.requests[0]?.body).toMatchObject({ model: 'gpt-6-sol', stream: true, store: false });
  expect(server.requests[0]?.body).not.toHaveProperty('reasoning');
});

test('a level of thinking goes with the request', async () => {
  const { run, server } = await codex(() => [{ text: 'ok' }]);
  await run({ thinkingLevel: 'high' });
  expect(server.requests[0]?.body.reasoning).toMatchObject({ effort: 'high' });
  expect(JSON.stringify(server.requests[0]?.body.input)).not.toContain('configuration_update');
});

test('fast goes with every request of the turn, and is priced as what it was', async () => {
  const { run, server } = await codex(() => [{ text: 'ok' }]);
  const costOf = (events: Awaited<ReturnType<typeof run>>) => ofType(events, 'usage')[0]?.usage.cost ?? 0;
  const plain = costOf(await run());
  const fast = costOf(await run({ fast: true }));
  expect(server.requests.map(({ body }) => body.service_tier)).toEqual([undefined, 'priority']);
  expect(fast).toBeCloseTo(2 * plain);
  expect(plain).toBeGreaterThan(0);
});

test('a sign-in that is no longer taken is said so, without what the server said', async () => {
  const { logged, run, server } = await codex(() => 401);
  const end = (await run()).at(-1);
  expect(end).toMatchObject({
    status: 'failed',
    refused: true,
    notice: 'Codex no longer takes the sign-in (401). Sign in to Codex again, then send the message again.',
  });
  expect(server.requests).toHaveLength(1);
  expect(JSON.stringify([end, logged])).not.toContain(ACCOUNT.access);
});

test.each([429, 500])('status %i is not a matter of the sign-in, and is tried again', async (status) => {
  const { run, server } = await codex(() => status);
  const end = (await run()).at(-1);
  expect(end).toMatchObject({ status: 'failed', notice: expect.stringContaining(`(${status})`) });
  expect(end).not.toHaveProperty('refused');
  expect(server.requests).toHaveLength(2);
});

test('without a credential nothing is sent', async () => {
  const { provider, run, server } = await codex(() => [{ text: 'never' }]);
  const events = await run({ provider: { ...provider, credential: 'Sign in first.' } as ProviderSpec });
  expect(events).toEqual([
    { type: 'end', status: 'failed', message: 'Sign in first.', notice: 'Sign in first.' },
  ]);
  expect(server.requests).toEqual([]);
});

test('its models are built in', async () => {
  const { provider, runtime } = await codex(() => []);
  const models = await runtime.listModels(provider, new AbortController().signal);
  expect(models.map(({ id }) => id)).toContain('gpt-6-sol');
  expect(models[0]).toMatchObject({
    contextWindow: expect.any(Number),
    thinkingLevels: expect.arrayContaining(['high']),
  });
});

test.each([
  ['https://chatgpt.com/backend-api/codex/responses', true],
  ['http://127.0.0.1:9/codex/responses', true],
  ['http://localhost:9/', true],
  ['http://chatgpt.com/', false],
  ['https://chatgpt.com.example.org/', false],
  ['https://user@example.org/chatgpt.com', false],
  ['http://127.0.0.1.example.org/', false],
  ['file:///chatgpt.com', false],
])('credentials for %s: %s', (address, isTrusted) => {
  const given = new Headers({ authorization: 'Bearer stand-in', cookie: 'x', 'openai-beta': 'y' });
  const pass = () => Object.fromEntries(codexHeaders(address, given, ACCOUNT));
  if (!isTrusted) return expect(pass).toThrow('do not go to this address');
  expect(pass()).toEqual({
    authorization: 'Bearer made-up-access-token',
    'chatgpt-account-id': 'acct-made-up',
    'openai-beta': 'y',
    originator: 'magi-term',
  });
});

test('the stand-in is a token for whoever takes it apart, whatever the account is called', () => {
  const [, claims = ''] = standInToken('acct ÿÿ>>??').split('.');
  expect(claims).not.toMatch(/[-_]/u);
  expect(JSON.parse(Buffer.from(claims, 'base64').toString())).toEqual({
    'https://api.openai.com/auth': { chatgpt_account_id: 'acct ÿÿ>>??' },
  });
});
