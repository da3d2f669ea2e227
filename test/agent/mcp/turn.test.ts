import { expect, test } from 'vitest';
import { createAgentRuntime } from '../../../src/agent/create-runtime.ts';
import {
  APIS,
  DEMO,
  eventsOf,
  modelServer,
  ofType,
  permitting,
  providerAt,
  textOf,
  turnRequest,
} from '../support.ts';
import { mcpWorld, program } from './world.ts';

test.each(APIS)('a model calls the tool of a server over %s', async (api) => {
  const world = await mcpWorld({ fix: program(), gone: { command: '/does/not/exist' } });
  const runtime = createAgentRuntime({ moreTools: world.mcp.tools });
  const server = await modelServer({
    script: ({ toolResults }) =>
      toolResults.length === 0
        ? [
            { toolCall: 'mcp_fix_echo', args: { text: 'hello' } },
            { toolCall: 'mcp_fix_echo', args: { wrong: true } },
          ]
        : [{ text: toolResults.join(' | ') }],
  });
  const request = turnRequest(world.workspace, {
    provider: providerAt(server.url, api),
    permit: permitting('mcp'),
  });
  const events = await eventsOf(runtime.startTurn(request));
  expect(textOf(events)).toContain('{"text":"hello"}');
  // A call that does not fit the tool's schema never reaches the server.
  expect(ofType(events, 'tool-start')).toMatchObject([
    { name: 'mcp_fix_echo', server: 'fix', title: 'mcp_fix_echo' },
    { name: 'mcp_fix_echo', server: 'fix', title: 'fix/echo {"text":"hello"}' },
  ]);
  expect(ofType(events, 'tool-end')).toMatchObject([
    { status: 'error' },
    { status: 'ok', approvedBy: 'mode' },
  ]);
  expect(ofType(events, 'notice')).toMatchObject([{ text: expect.stringMatching(/^MCP server gone: /u) }]);
});

test('a turn without servers loads nothing, and the demo model works beside them', async () => {
  const world = await mcpWorld({});
  expect(await world.tools()).toEqual([]);
  world.named = { fix: program('dies') };
  const runtime = createAgentRuntime({ moreTools: world.mcp.tools, timing: { demoChunkMs: 0 } });
  const events = await eventsOf(
    runtime.startTurn(turnRequest(world.workspace, { provider: DEMO, prompt: 'list' })),
  );
  expect(events.at(-1)).toEqual({ type: 'end', status: 'completed' });
  expect(ofType(events, 'notice')).toHaveLength(1);
});
