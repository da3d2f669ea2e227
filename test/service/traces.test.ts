/** The client side of the recorded conversations, played to the real service: same answers, same shapes. */
import { afterEach, describe, expect, test } from 'vitest';
import { type JsonObject, readTrace, socketsOf, type TraceLine } from '../support/traces.ts';
import { type Rec, startWorld, type WireClient, type World } from './harness.ts';

let world: World;
afterEach(() => world.close());

/** What the reference has and this service does not, and the other way round. */
const KNOWN_DIFFERENCES = [
  'initialize',
  'capabilities',
  'catalog.providers',
  'catalog.models',
  'config.get',
  'config.set',
];

/** Names of providers and models mean the same everywhere. */
const IDENTITY = /(?<!^provider|^model)_id$|cursor/;

type Names = Map<string, string>;

/** Puts our identities where the trace has its own. */
function translate(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => translate(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, translate(child, names)]));
}

/** Learns which of our identities stands for which of theirs. */
function learn(theirs: unknown, ours: unknown, names: Names): void {
  if (typeof theirs !== 'object' || theirs === null || typeof ours !== 'object' || ours === null) return;
  const mine = new Map(Object.entries(ours));
  for (const [key, value] of Object.entries(theirs)) {
    const own = mine.get(key);
    if (IDENTITY.test(key) && typeof value === 'string' && typeof own === 'string') names.set(value, own);
    else learn(value, own, names);
  }
}

/** Member names and types, without the values. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shape(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, child]): [string, unknown] => [key, shape(child)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

async function play(lines: readonly TraceLine[], names: Names): Promise<void> {
  const [hello] = lines;
  const own: JsonObject = hello?.record ?? {};
  const version = own.version === '0.80.2' ? {} : { version: String(own.version) };
  const client = world.hello(String(own.action), version);
  await client.until(() => client.records[0]);
  const reply = lines.find((line) => line.dir === 's2c')?.record;
  expect(client.records[0].status).toBe(reply?.status);
  for (const { record } of lines.filter((line) => line.dir === 'c2s').slice(1)) {
    // Two requests with one ID need to be in flight together: see the ladder.
    if (record.request_id === 'req-dup') continue;
    const seen = client.records.length;
    client.send(translate(record, names));
    const expected = responseIn(lines, record);
    if (expected === null) continue;
    const response = await client.until(() =>
      client.records.slice(seen).find((r) => r.kind === 'response' && r.method === expected.method),
    );
    compare(expected, response, names);
    if (record.method === 'turn.start' && response.error === null) await finishTurn(client, lines);
    if (record.method === 'auth.login.start')
      await client.event('auth.login.progress', ({ state }) => state === 'waiting');
    if (/^auth\.login\.(callback|cancel)$/.test(String(record.method))) await finishLogin(client, lines);
  }
}

function responseIn(lines: readonly TraceLine[], request: JsonObject): Rec {
  const responses = lines.filter((line) => line.dir === 's2c' && line.record.kind === 'response');
  const fits = ({ record }: TraceLine) =>
    record.request_id === (request.request_id ?? null) && record.method === (request.method ?? null);
  return responses.find(fits)?.record ?? null;
}

function compare(expected: Rec, response: Rec, names: Names): void {
  learn(expected, response, names);
  expect([response.method, response.error]).toEqual([expected.method, expected.error]);
  if (!KNOWN_DIFFERENCES.includes(expected.method)) expect(shape(response)).toEqual(shape(expected));
}

/** Says what the trace's model said. */
async function finishTurn(client: WireClient, lines: readonly TraceLine[]): Promise<void> {
  for (const { record } of lines) {
    const { payload }: Rec = record;
    if (record.event === 'turn.assistant_delta') world.agent.last.say(payload.text);
  }
  world.agent.last.complete();
  const ours = await client.event('turn.terminal');
  const theirs = lines.find(({ record }) => record.event === 'turn.terminal');
  expect(shape(ours)).toEqual(shape(theirs?.record));
  expect(ours.payload.assistant_text).toBe(JSON.parse(JSON.stringify(theirs)).record.payload.assistant_text);
}

/** The sign-in of this socket came to the same end by the same way. */
async function finishLogin(client: WireClient, lines: readonly TraceLine[]): Promise<void> {
  await client.event('auth.login.terminal');
  const theirs = lines.map(({ record }) => record).filter(({ kind }) => kind === 'event');
  expect(client.events.map(shape)).toEqual(theirs.map(shape));
  const stateOf = ({ event, payload }: Rec) => [event, payload.state];
  expect(client.events.map(stateOf)).toEqual(theirs.map(stateOf));
}

describe('the recorded conversation', () => {
  test.each([
    '01-handshake-initialize-status',
    '02-session-lifecycle',
    '08-auth-login',
    '09-operation-identity-and-lookup',
    '10-fencing-and-errors',
  ])('%s', async (name) => {
    world = await startWorld({ env: { MAGI_TERM_PROVIDER: 'demo', MAGI_TERM_OAUTH_CALLBACK_PORT: '0' } });
    const names: Names = new Map();
    for (const lines of socketsOf(readTrace(name))) {
      if (lines[0]?.record.action === 'stop') continue;
      await play(lines, names);
    }
  });
});
