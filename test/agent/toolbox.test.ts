import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { defineTool, type Tool } from '../../src/agent/tools/tool.ts';
import {
  APIS,
  eventsOf,
  modelServer,
  ofType,
  providerAt,
  tempFolder,
  textOf,
  turnRequest,
} from './support.ts';

const tool = (name: string): Tool =>
  defineTool({
    name,
    description: 'Says hello to somebody.',
    schema: z.object({ whom: z.string() }),
    title: ({ whom }) => whom,
    run: async ({ whom }, context) => {
      const question = { kind: 'mcp', subject: name, title: `greet ${whom}` } as const;
      return (await context.ask(question)) ?? { status: 'ok', output: `hello ${whom}` };
    },
  });

test.each(APIS)('tools from elsewhere come behind the built-in ones over %s', async (api) => {
  const lines: string[] = [];
  const runtime = createAgentRuntime({
    log: (line) => lines.push(line),
    moreTools: async () => [tool('greet'), tool('bash'), tool('task'), tool('bad name'), tool('greet')],
  });
  const server = await modelServer({
    script: ({ toolResults }) =>
      toolResults.length === 0
        ? [{ toolCall: 'greet', args: { whom: 'you' } }]
        : [{ text: toolResults.join() }],
  });
  const permit = async () => ({ allowed: true, by: 'rule' }) as const;
  const request = turnRequest(await tempFolder(), { provider: providerAt(server.url, api), permit });
  const events = await eventsOf(runtime.startTurn(request));
  expect(textOf(events)).toBe('hello you');
  expect(ofType(events, 'tool-start')).toMatchObject([{ name: 'greet', title: 'you' }]);
  expect(ofType(events, 'tool-end')).toMatchObject([{ status: 'ok', approvedBy: 'rule' }]);
  const sent = JSON.stringify(server.requests[0]?.body);
  for (const name of ['greet', 'bash', 'task']) expect(sent.split(`"name":"${name}"`)).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith('tool left out'))).toHaveLength(4);
});

test('a turn goes on when they cannot be had', async () => {
  const lines: string[] = [];
  const runtime = createAgentRuntime({
    timing: { demoChunkMs: 0 },
    log: (line) => lines.push(line),
    moreTools: () => Promise.reject(new Error('no server')),
  });
  const events = await eventsOf(runtime.startTurn(turnRequest(await tempFolder(), { prompt: 'list' })));
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  expect(lines).toEqual(['further tools are not there: no server']);
});
