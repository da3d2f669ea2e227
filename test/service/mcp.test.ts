import { afterEach, beforeEach, expect, test } from 'vitest';
import { hold, start, startWorld, type WireClient, type World } from './harness.ts';

let world: World;
let client: WireClient;
beforeEach(async () => {
  world = await startWorld();
  client = await world.profileClient();
});
afterEach(() => world.close());

test('the tool of a server is activity without names, and what is missing is a notice', async () => {
  const held = await hold(client);
  await start(client, held, 'go');
  const { last } = world.agent;
  const text = 'MCP server x: it is not there.';
  last.emit({ type: 'notice', text });
  const call = { call: 'c1', name: 'mcp_fix_echo', title: 'fix/echo', args: {}, server: 'fix' } as const;
  last.emit({ type: 'tool-start', ...call });
  const end = { call: 'c1', output: 'done', outputBytes: 4, durationMs: 1, timedOut: false } as const;
  last.emit({ type: 'tool-end', ...end, status: 'ok' });
  last.complete();
  await client.event('turn.terminal');
  const tools = client.events.filter((event) => event.payload.activity?.kind === 'tool');
  for (const { payload } of tools)
    expect(payload.activity).toMatchObject({
      tool_name: null,
      transport: 'mcp',
      server_id: expect.stringMatching(/^server-[0-9a-f]{64}$/u),
    });
  expect(tools.map(({ payload }) => payload.activity.status)).toEqual(['running', 'completed']);
  const notice = await client.event('session.envelope', ({ envelope }) => envelope.ev.t === 'service');
  expect(notice.payload.envelope.ev).toEqual({ t: 'service', kind: 'notice', text });
});
