import { expect, test } from 'vitest';
import { permitting, runTool } from '../support.ts';
import { byHand, fixtureOverHttp, listening } from './http-server.ts';
import { mcpWorld, namesOf } from './world.ts';

const TOOL = { name: 'odd', inputSchema: { type: 'object' } };

test('the tools of an address are listed and called, with the headers of the settings', async () => {
  const server = await fixtureOverHttp();
  const headersEnv = { authorization: 'MY_HEADER' };
  const world = await mcpWorld(
    { web: { url: server.url, headersEnv } },
    { MY_HEADER: ' Bearer made-up-secret ' },
  );
  expect(namesOf(await world.tools())).toContain('mcp_web_echo');
  expect(await world.call('mcp_web_echo', { text: 'a' })).toMatchObject({
    status: 'ok',
    output: '{"text":"a"}',
  });
  expect(await world.call('mcp_web_fail')).toMatchObject({ status: 'error', output: 'the disk is full' });
  for (const headers of server.seen) expect(headers.authorization).toBe('Bearer made-up-secret');
  expect(world.log.join('\n')).not.toContain('made-up-secret');
});

test('a huge result is cut, a still larger one costs the call alone', async () => {
  const server = await fixtureOverHttp();
  const world = await mcpWorld({ web: { url: server.url } });
  const huge = await world.call('mcp_web_huge');
  expect(huge).toMatchObject({ status: 'ok', outputBytes: 3 * 1024 * 1024 + 8 });
  expect(Buffer.byteLength(huge.output)).toBeLessThan(50_000);
  expect(await world.call('mcp_web_too-huge')).toMatchObject({ status: 'error' });
  expect(await world.call('mcp_web_echo', { text: 'a' })).toMatchObject({ status: 'ok' });
});

test('one that goes away and comes back is connected to again', async () => {
  const server = await fixtureOverHttp();
  const world = await mcpWorld({ web: { url: server.url } });
  const echo = (await world.tools()).find(({ name }) => name === 'mcp_web_echo');
  if (echo === undefined) throw new Error('no echo');
  await server.close();
  const lost = await runTool(echo, world.workspace, { text: 'a' }, { permit: permitting('mcp') });
  expect(lost).toMatchObject({
    status: 'error',
    output: expect.stringContaining('The MCP server web cannot be used: '),
  });
  expect(world.told).toEqual([
    expect.stringMatching(
      /^MCP server web: (the connection to it was lost|it cannot be reached \(connection refused\))\. The next call/u,
    ),
  ]);
  expect(await world.tools()).toEqual([]);
  await fixtureOverHttp(Number(new URL(server.url).port));
  world.elapsedMs = 300_000;
  expect(await world.call('mcp_web_echo', { text: 'a' })).toMatchObject({ status: 'ok' });
});

test('one that was restarted between turns is there again at once', async () => {
  const server = await fixtureOverHttp();
  const world = await mcpWorld({ web: { url: server.url } });
  const before = namesOf(await world.tools());
  await server.close();
  await fixtureOverHttp(Number(new URL(server.url).port));
  expect(namesOf(await world.tools())).toEqual(before);
  expect(await world.call('mcp_web_echo', { text: 'a' })).toMatchObject({ status: 'ok' });
});

test('other tools are there from the next turn on', async () => {
  let tools = [{ ...TOOL, name: 'first' }];
  const server = await byHand((method) => (method === 'tools/list' ? { tools } : undefined));
  const world = await mcpWorld({ web: { url: server.url } });
  expect(namesOf(await world.tools())).toEqual(['mcp_web_first']);
  tools = [{ ...TOOL, name: 'second' }];
  expect(namesOf(await world.tools())).toEqual(['mcp_web_second']);
});

test('a list that cannot be read is not the end of what was known', async () => {
  const lists: unknown[] = [{ tools: [TOOL] }, { tools: 'none' }];
  const server = await byHand((method) => (method === 'tools/list' ? lists.shift() : undefined));
  const world = await mcpWorld({ web: { url: server.url } });
  expect(namesOf(await world.tools())).toEqual(['mcp_web_odd']);
  expect(namesOf(await world.tools())).toEqual(['mcp_web_odd']);
  expect(namesOf(await world.tools())).toEqual(['mcp_web_odd']);
  expect(world.told).toEqual([]);
  expect(world.log.join()).toContain('could not be listed again');
});

test.each([
  [401, 'it refuses the credentials (401), see headersEnv'],
  [404, 'there is no MCP server at its address (404)'],
  [500, 'it answered with an error (500)'],
])('status %i has its words', async (status, words) => {
  const server = await listening((_request, response) => void response.writeHead(status).end('quoted words'));
  const world = await mcpWorld({ web: { url: server.url } });
  expect(await world.tools()).toEqual([]);
  expect(world.told.map((line) => line.split('. The turn')[0])).toEqual([`MCP server web: ${words}`]);
});

test('a server that is in trouble for a moment costs the call alone', async () => {
  let isInTrouble = false;
  const tools = [TOOL];
  const server = await byHand(
    (method) => (method === 'tools/list' ? { tools } : { content: [{ type: 'text', text: 'fine' }] }),
    (message) => isInTrouble && message.method === 'tools/call',
  );
  const world = await mcpWorld({ web: { url: server.url } });
  expect(await world.call('mcp_web_odd')).toMatchObject({ status: 'ok', output: 'fine' });
  isInTrouble = true;
  expect(await world.call('mcp_web_odd')).toMatchObject({ status: 'error' });
  isInTrouble = false;
  expect(await world.call('mcp_web_odd')).toMatchObject({ status: 'ok' });
  expect(world.told).toEqual([]);
});

test('credentials do not follow a redirect', async () => {
  const elsewhere = await listening((_request, response) => void response.writeHead(200).end());
  const server = await listening((_request, response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
  });
  const world = await mcpWorld(
    { web: { url: server.url, headersEnv: { 'x-key': 'KEY' } } },
    { KEY: 'made-up' },
  );
  expect(await world.tools()).toEqual([]);
  expect(world.told).toHaveLength(1);
  expect(elsewhere.seen).toEqual([]);
});

test('what is not HTTP with MCP in it is refused', async () => {
  const server = await listening(
    (_request, response) => void response.writeHead(200).end('<html>hello</html>'),
  );
  const world = await mcpWorld({ web: { url: server.url } });
  expect(await world.tools()).toEqual([]);
  expect(world.told).toEqual([expect.stringMatching(/^MCP server web: it does not speak MCP as expected/u)]);
  expect(world.told.join()).not.toContain('hello');
});

test('a result of another shape is an error of the call', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const results = [
    { content: 'no list' },
    { content: [], structuredContent: { n: 'five' } },
    { content: [] },
  ];
  const server = await byHand((method) =>
    method === 'tools/list' ? { tools: [{ ...TOOL, outputSchema }] } : results.shift(),
  );
  const world = await mcpWorld({ web: { url: server.url } });
  for (let left = results.length; left > 0; left -= 1)
    expect(await world.call('mcp_web_odd')).toMatchObject({ status: 'error' });
  expect(world.told).toEqual([]);
});

test('only what models can be offered is taken over', async () => {
  const server = await byHand((method) =>
    method === 'tools/list'
      ? {
          tools: [
            { name: 'two words', inputSchema: { type: 'object' } },
            {
              name: 'heavy',
              inputSchema: { type: 'object', properties: { a: { description: 'x'.repeat(40_000) } } },
            },
            {
              name: 'x'.repeat(120),
              description: `fine\u0000\u202e${'y'.repeat(9_000)}`,
              inputSchema: { type: 'object', anyOf: [{}], $schema: 'x', properties: { a: {} } },
            },
          ],
        }
      : undefined,
  );
  const world = await mcpWorld({ web: { url: server.url } });
  const tools = await world.tools();
  expect(tools).toMatchObject([{ parameters: { type: 'object', properties: { a: {} } } }]);
  expect(Object.keys(tools[0]?.parameters ?? {})).toEqual(['type', 'properties']);
  expect(tools[0]?.name).toMatch(/^mcp_web_x{47}_[0-9a-f]{8}$/u);
  expect(tools[0]?.description).toMatch(/\] finey+$/u);
  expect(Buffer.byteLength(tools[0]?.description ?? '')).toBeLessThan(4_200);
  expect(world.log).toContain('MCP server web: 2 tools cannot be offered to models');
});
