import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { askingTheTest, eventually, isAlive, permitting, refusal } from '../support.ts';
import { mcpWorld, namesOf, program } from './world.ts';

test('the tools of a program are listed, described and called', async () => {
  const world = await mcpWorld({ 'my.files': program() });
  const tools = await world.tools();
  const echo = tools.find(({ name }) => name.startsWith('mcp_my_files_echo'));
  expect(echo).toMatchObject({
    server: 'my.files',
    description: '[Tool of the MCP server my.files] Gives back what it gets.',
    parameters: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  });
  expect(await world.call(echo?.name ?? '', { text: 'ä', times: 3 })).toMatchObject({
    status: 'ok',
    output: '{"text":"ä","times":3}',
  });
  expect(world.told).toEqual([]);
});

test('is asked about before every call, with the server and the tool', async () => {
  const world = await mcpWorld({ fix: program() });
  const { asked, permit } = askingTheTest();
  const done = world.call('mcp_fix_echo', { text: 'hi' }, { permit });
  const question = await eventually(() => {
    const [first] = asked;
    if (first === undefined) throw new Error('nothing asked yet');
    return first;
  });
  expect(question).toMatchObject({ kind: 'mcp', subject: 'fix/echo', title: 'fix/echo {"text":"hi"}' });
  question.answer(refusal('mcp'));
  expect(await done).toMatchObject({ status: 'denied', output: 'Not allowed: mcp.' });
  expect(await world.call('mcp_fix_crash', {}, { permit: permitting() })).toMatchObject({ status: 'denied' });
  expect(world.log.filter((line) => line.includes('ended'))).toEqual([]);
});

test('what a tool says about its failure is an error', async () => {
  const world = await mcpWorld({ fix: program() });
  expect(await world.call('mcp_fix_fail')).toMatchObject({ status: 'error', output: 'the disk is full' });
  const thrown = await world.call('mcp_fix_throw');
  expect(thrown).toMatchObject({ status: 'error', output: expect.stringContaining('something broke') });
  const wrong = await world.call('mcp_fix_echo', { text: 5 });
  expect(wrong).toMatchObject({ status: 'error', output: expect.stringContaining('text') });
});

test('a huge result is cut, a still larger one ends the connection', async () => {
  const world = await mcpWorld({ fix: program() });
  const huge = await world.call('mcp_fix_huge');
  expect(huge).toMatchObject({ status: 'ok', outputBytes: 3 * 1024 * 1024 + 8 });
  expect(Buffer.byteLength(huge.output)).toBeLessThan(50_000);
  expect(huge.output).toMatch(/^beginxx[\s\S]*bytes left out[\s\S]*xxend$/u);
  expect(await world.call('mcp_fix_too-huge')).toMatchObject({ status: 'error' });
  expect(world.told).toHaveLength(1);
  expect(await world.call('mcp_fix_echo', { text: 'again' })).toMatchObject({ status: 'ok' });
});

test('what is not text is named in a line', async () => {
  const world = await mcpWorld({ fix: program() });
  const { output } = await world.call('mcp_fix_pictures');
  expect(output.split('\n')).toEqual([
    'see:',
    '[image, image/png, 6 bytes: not shown]',
    '[resource file:///a.txt a link]',
    '[resource file:///b.txt]',
    'the text of b',
  ]);
});

test('a slow call ends by its time limit, or with the turn; the server goes on', async () => {
  const world = await mcpWorld({ fix: { ...program(), timeoutMs: 5000 } });
  const first = await world.call('mcp_fix_child');
  world.named = { fix: { ...program(), timeoutMs: 5000 } };
  const turn = new AbortController();
  const cancelled = world.call('mcp_fix_never', {}, { signal: turn.signal });
  await eventually(() => expect(world.log).toContain('MCP server fix: waiting'));
  turn.abort();
  expect(await cancelled).toMatchObject({ status: 'cancelled' });
  const slow = await world.call('mcp_fix_never');
  expect(slow).toMatchObject({ status: 'error', timedOut: true, output: '[No result after 5 s.]' });
  const second = await world.call('mcp_fix_child');
  expect(JSON.parse(second.output).server).toBe(JSON.parse(first.output).server);
  expect(world.told).toEqual([]);
});

test('a crash in mid-call is told once, and the next call starts the server anew', async () => {
  const world = await mcpWorld({ fix: program() });
  const crash = await world.call('mcp_fix_crash');
  expect(crash).toMatchObject({
    status: 'error',
    output: expect.stringMatching(/^The MCP server fix cannot be used: it ended/u),
  });
  expect(world.told).toEqual([
    expect.stringMatching(/^MCP server fix: it ended.*The next call tries it again/u),
  ]);
  expect(await world.call('mcp_fix_echo', { text: 'a' })).toMatchObject({ status: 'ok' });
  expect(world.told).toHaveLength(1);
});

test('one that ends again and again is left alone for longer and longer', async () => {
  const world = await mcpWorld({ fix: program('dies') });
  const starts = (): number => world.log.filter((line) => line.includes('before it was ready')).length;
  expect(await world.tools()).toEqual([]);
  expect(world.told).toEqual([
    'MCP server fix: it ended before it was ready. The turn goes on without its tools: see mcpServers in the settings, and the log of the service.',
  ]);
  expect(await world.tools()).toEqual([]);
  expect(starts()).toBe(1);
  world.elapsedMs = 5_000;
  await world.tools();
  expect(starts()).toBe(2);
  world.elapsedMs = 30_000;
  await world.tools();
  expect(starts()).toBe(2);
  world.elapsedMs = 35_000;
  await world.tools();
  expect(starts()).toBe(3);
  expect(world.told).toHaveLength(3);
});

test('one that ended between turns is started again, and people hear of it', async () => {
  const world = await mcpWorld({ fix: program() });
  const { server } = JSON.parse((await world.call('mcp_fix_child')).output);
  process.kill(server, 'SIGKILL');
  await eventually(() => expect(world.log.join()).toContain('it ended by itself'));
  expect(namesOf(await world.tools())).toContain('mcp_fix_echo');
  expect(world.told).toEqual(['MCP server fix: it ended by itself. It is there again.']);
});

test('reasons are fixed words', async () => {
  const world = await mcpWorld({
    gone: { command: '/does/not/exist' },
    mute: { ...program('mute'), timeoutMs: 300 },
    placeless: { ...program(), cwd: 'no/such/folder' },
    unset: { url: 'http://127.0.0.1:1/', headersEnv: { authorization: 'NO_SUCH_VARIABLE' } },
    off: { command: '/does/not/exist', disabled: true },
  });
  expect(await world.tools()).toEqual([]);
  expect(world.told.map((line) => line.split('. ')[0]).sort()).toEqual([
    'MCP server gone: its command or folder was not found',
    'MCP server mute: it was not ready within 0.3 s',
    'MCP server placeless: its command or folder was not found',
    'MCP server unset: the environment variable NO_SUCH_VARIABLE that headersEnv names is not set, or holds no header',
  ]);
});

test('what is not the protocol is passed over', async () => {
  const world = await mcpWorld({ fix: program('noise') });
  expect(await world.call('mcp_fix_echo', { text: 'a' })).toMatchObject({ status: 'ok' });
});

test('new tools are there from the next turn on', async () => {
  const world = await mcpWorld({ fix: program() });
  expect(namesOf(await world.tools())).not.toContain('mcp_fix_late');
  await world.call('mcp_fix_grow');
  const names = await eventually(async () => {
    const found = namesOf(await world.tools());
    expect(found).toContain('mcp_fix_late');
    return found;
  });
  expect(new Set(names).size).toBe(names.length);
  expect(await world.call('mcp_fix_late')).toMatchObject({ output: 'better than never' });
});

test('names that would be the same are told apart, and each reaches its own tool', async () => {
  const world = await mcpWorld({ fix: program() });
  const twins = namesOf(await world.tools()).filter((name) => name.startsWith('mcp_fix_twin_a'));
  expect(twins.sort()).toEqual(['mcp_fix_twin_a', expect.stringMatching(/^mcp_fix_twin_a_[0-9a-f]{8}$/u)]);
  const outputs = await Promise.all(twins.map(async (name) => (await world.call(name)).output));
  expect(outputs).toEqual(['twin_a', 'twin.a']);
});

test('a program gets a plain environment and what the settings give it, and nothing of that reaches the log', async () => {
  const server = { ...program('chatty'), env: { SECRET: 'hunter2-hunter2' } };
  const world = await mcpWorld(
    { fix: server },
    { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-model-key' },
  );
  const environment = JSON.parse((await world.call('mcp_fix_environment')).output);
  expect(environment).toMatchObject({ SECRET: 'hunter2-hunter2', CWD: world.workspace });
  expect(environment).not.toHaveProperty('ANTHROPIC_API_KEY');
  await eventually(() => expect(world.log.join('\n')).toContain('further lines are left out'));
  expect(world.log).toContain('MCP server fix: started with [redacted]');
  expect(world.log.join('\n')).not.toContain('hunter2');
  expect(world.log.length).toBeLessThan(250);
});

test.each(['polite', 'stubborn'])('the end takes the whole group of a %s program along', async (mood) => {
  const world = await mcpWorld({ fix: program(mood) });
  const { child, server } = JSON.parse((await world.call('mcp_fix_child')).output);
  await world.mcp.close();
  for (const pid of [server, child]) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    expect(isAlive(status)).toBe(false);
  }
  expect(await world.tools()).toEqual([]);
});

test('what the settings name no more is ended, what they name otherwise is started anew', async () => {
  const world = await mcpWorld({ fix: program(), other: program() });
  const { server } = JSON.parse((await world.call('mcp_fix_child')).output);
  world.named = { fix: { ...program(), env: { A: '1' } } };
  const names = namesOf(await world.tools());
  expect(names.filter((name) => name.startsWith('mcp_other'))).toEqual([]);
  expect(JSON.parse((await world.call('mcp_fix_child')).output).server).not.toBe(server);
  await eventually(async () => {
    expect(isAlive(await readFile(`/proc/${server}/status`, 'utf8').catch(() => ''))).toBe(false);
  });
});

test('a turn that is stopped waits for no server', async () => {
  const world = await mcpWorld({ mute: program('mute') });
  const turn = new AbortController();
  const waiting = world.tools(turn.signal);
  turn.abort();
  await expect(waiting).rejects.toThrow('Cancelled');
});
