/** What a session is about, told from its stream alone (PROTOCOL.md, "Session profile"). */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionRollups } from '../../../src/service/profile/session-rollup.ts';
import { sessionListResult } from '../../../src/wire/session.ts';
import {
  claim,
  createSession,
  type Held,
  hold,
  op,
  type Rec,
  start,
  startWorld,
  type WireClient,
  type World,
} from '../harness.ts';

let world: World;
let client: WireClient;
beforeEach(async () => {
  world = await startWorld();
  client = await world.profileClient();
});
afterEach(() => world.close());

const control = (held: Held) => ({ operation_id: op(), session_id: held.session, control: held.control });
const fileOf = (id: string): string => join(world.stateRoot, 'sessions', `${id}.jsonl`);
const rollups = (): SessionRollups => new SessionRollups(fileOf);

async function listed(of: WireClient = client): Promise<Rec[]> {
  const { payload } = await of.ask('session.list');
  expect(sessionListResult.parse(payload)).toEqual(payload);
  return payload.sessions;
}

async function turn(held: Held, inputTokens: number, cost: number): Promise<void> {
  const { turn_id } = (await start(client, held, 'Hello')).payload;
  const usage = { inputTokens, outputTokens: 7, cacheReadTokens: 3, cost };
  const { last } = world.agent;
  last.emit({ type: 'usage', usage, contextTokens: 1, window: null });
  last.complete();
  await client.event('turn.terminal', (payload) => payload.turn_id === turn_id);
}

test('tokens, cost, choices and who held it last, for clients with the profile alone', async () => {
  const held = await hold(client);
  await turn(held, 100, 0.25);
  await turn(held, 50, 0.5);
  const selection = { provider_id: 'demo', model_id: 'm-1' };
  const choices = { permission_mode: 'plan', selection, thinking_level: 'high' };
  expect((await client.ask('session.configure', choices, control(held))).error).toBeNull();
  await client.ask('session.detach', {}, control(held));
  const [entry] = await listed();
  expect(entry.about).toEqual({
    ...choices,
    holder: { client_type: 'cli', time: expect.any(Number) },
    usage: { input_tokens: 150, output_tokens: 14, cache_read_tokens: 6, cost: 0.75 },
  });
  const [ordinary] = await listed(await world.client());
  expect(Object.keys(ordinary)).toEqual(['session_id', 'title', 'updated_at', 'ownership_hint']);
});

test('of a session that nobody with the profile held, nothing is made up', async () => {
  const ordinary = await world.client();
  await claim(ordinary, await createSession(ordinary));
  expect((await listed())[0].about).toEqual({
    holder: null,
    permission_mode: 'default',
    selection: null,
    thinking_level: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost: 0 },
  });
});

test('what was read on as the file grew is what the whole file says', async () => {
  const held = await hold(client);
  const grown = rollups();
  grown.of(held.session);
  await turn(held, 10, 0.125);
  grown.of(held.session);
  await client.ask('session.rename', { title: 'Name' }, control(held));
  await turn(held, 20, 0.25);
  const rebuilt = rollups().of(held.session);
  expect(grown.of(held.session)).toEqual(rebuilt);
  expect(rebuilt).toMatchObject({ title: 'Name', usage: { inputTokens: 30, cost: 0.375 } });
});

test('a text about such records, and a torn one, count for nothing', async () => {
  const id = await createSession(client);
  const usage = { inputTokens: 5, outputTokens: 5, cost: 1 };
  const end = {
    id: 'e1',
    time: 1,
    role: 'agent',
    turn: 't1',
    ev: { t: 'turn-end', status: 'completed', usage },
  };
  const said = { id: 'e2', time: 2, role: 'user', ev: { t: 'text', text: JSON.stringify(end) } };
  appendFileSync(fileOf(id), `${JSON.stringify(said)}\n${JSON.stringify(end)}\n${JSON.stringify(end)}`);
  expect(rollups().of(id).usage).toEqual({ inputTokens: 5, outputTokens: 5, cacheReadTokens: 0, cost: 1 });
});

test('a page ends before it is too large for a payload, and goes on behind it', async () => {
  const title = '👨‍👩‍👧‍👦'.repeat(80);
  const made: string[] = [];
  for (let index = 0; index < 40; index += 1) {
    const id = await createSession(client);
    const said = { id: 'e2', time: 2, role: 'user', ev: { t: 'text', text: title } };
    writeFileSync(fileOf(id), `${readFileSync(fileOf(id), 'utf8')}${JSON.stringify(said)}\n`);
    made.push(id);
  }
  const found: string[] = [];
  let pages = 0;
  for (let after: string | null = null, more = true; more; pages += 1) {
    const { payload } = await client.ask('session.list', { after });
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(32_768);
    expect(payload.incomplete).toBe(false);
    found.push(...payload.sessions.map((entry: Rec) => entry.session_id));
    more = payload.truncated;
    after = payload.next_after;
  }
  expect(found).toEqual(made.toSorted());
  expect(pages).toBeGreaterThan(2);
});
