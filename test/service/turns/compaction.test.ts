import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/agent/runtime.ts';
import { activity } from '../../../src/wire/activity.ts';
import {
  type Held,
  hold,
  type Rec,
  replay,
  start,
  startWorld,
  type WireClient,
  type World,
} from '../harness.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cost: 0.25 };
const running: AgentEvent = { type: 'compaction', status: 'running', before: 9_000, after: null };
const completed = (summary: string): AgentEvent => ({
  type: 'compaction',
  status: 'completed',
  before: 9_000,
  after: 700,
  summary,
});

async function turn(client: WireClient, held: Held, prompt: string, ...events: AgentEvent[]): Promise<Rec> {
  const { turn_id } = (await start(client, held, prompt)).payload;
  world.agent.last.emit(...events);
  world.agent.last.say(`answer to ${prompt}`);
  world.agent.last.complete();
  return (await client.event('turn.terminal', (payload) => payload.turn_id === turn_id)).payload;
}

test('a summary is kept, told, replayed, and stands in for what came before', async () => {
  const client = await world.client();
  const held = await hold(client);
  await turn(client, held, 'one');
  const summed: AgentEvent = { type: 'usage', usage, contextTokens: 110, window: 10_000, compaction: true };
  await turn(client, held, 'two', running, summed, completed('in short'), { type: 'request', index: 0 });
  expect(world.agent.last.request.history).toMatchObject([{ text: 'one' }, { text: 'answer to one' }]);
  const told = client.events.map(({ payload }) => payload.activity).filter(Boolean);
  expect(told.map((item: Rec) => activity.safeParse(item).success)).toEqual(told.map(() => true));
  expect(told.filter(({ kind }: Rec) => kind === 'compaction')).toMatchObject([
    { status: 'running', current_tokens: 9_000, max_tokens: 10_000, replay_required: false },
    { status: 'completed', current_tokens: 700, max_tokens: 10_000, replay_required: false },
  ]);
  expect(told.filter(({ kind }: Rec) => kind === 'context')).toMatchObject([{ current_tokens: 700 }]);
  expect(told.filter(({ kind }: Rec) => kind === 'usage')).toEqual([]);
  await turn(client, held, 'three');
  expect(world.agent.last.request.history).toEqual([
    { kind: 'summary', text: 'in short' },
    { kind: 'user', text: 'two' },
    { kind: 'assistant', text: 'answer to two' },
  ]);
  const page = await replay(client, held.session);
  expect(page.events.map(({ kind, text }: Rec) => text ?? kind)).toEqual([
    'one',
    'answer to one',
    'terminal',
    'two',
    'in short',
    'answer to two',
    'terminal',
    'three',
    'answer to three',
    'terminal',
  ]);
});

test('its tokens count for the turn, and it fits into an envelope however long it is', async () => {
  const client = await world.profileClient();
  const held = await hold(client);
  const summed: AgentEvent = { type: 'usage', usage, contextTokens: 110, window: 10_000, compaction: true };
  await turn(client, held, 'one', running, summed, completed('"\\'.repeat(50_000)));
  const envelopes = client.events
    .filter(({ event }) => event === 'session.envelope')
    .map(({ payload }) => payload.envelope);
  const summary = envelopes.find(({ ev }: Rec) => ev.t === 'service');
  expect(summary.ev).toMatchObject({ kind: 'compaction', text: 'Earlier messages were summarised.' });
  expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThan(24_576);
  expect(envelopes.find(({ ev }: Rec) => ev.t === 'turn-end').ev.usage).toMatchObject(usage);
});

test('one that failed is told, and leaves nothing behind', async () => {
  const client = await world.client();
  const held = await hold(client);
  const failed: AgentEvent = { type: 'compaction', status: 'failed', before: 9_000, after: 4_000 };
  await turn(client, held, 'one', running, failed);
  const told = client.events.map(({ payload }) => payload.activity?.status).filter(Boolean);
  expect(told).toEqual(['running', 'failed']);
  expect((await replay(client, held.session)).events).toHaveLength(3);
});
