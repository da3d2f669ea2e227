import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/agent/runtime.ts';
import { plainRights } from '../../../src/service/permissions/plain.ts';
import { EVENTS } from '../../../src/wire/operations.ts';
import { claimResult } from '../../../src/wire/session.ts';
import {
  claim,
  hold,
  op,
  type Rec,
  replay,
  start,
  startWorld,
  type WireClient,
  type World,
} from '../harness.ts';

let world: World;
let client: WireClient;
beforeEach(async () => {
  world = await startWorld();
  client = await world.client();
});
afterEach(() => world.close());

const toolStart: AgentEvent = {
  type: 'tool-start',
  call: 'c1',
  name: 'read',
  title: 'evidence.txt',
  args: { path: 'evidence.txt', filler: 'x'.repeat(20_000) },
};
const toolEnd: AgentEvent = {
  type: 'tool-end',
  call: 'c1',
  status: 'ok',
  output: 'é'.repeat(10_000),
  outputBytes: 20_000,
  durationMs: 3.4,
  timedOut: false,
};
const usage: AgentEvent = {
  type: 'usage',
  usage: { inputTokens: 120, outputTokens: 9, cacheReadTokens: 0, cost: 0.5 },
  contextTokens: 129,
  window: 10_000,
};

const lines = (session: string): Rec[] =>
  readFileSync(join(world.stateRoot, 'sessions', `${session}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const messages = (page: Rec) =>
  page.events.map((event: Rec) => [event.role ?? event.kind, event.text ?? event.status]);
const lookup = async (operation_id: string): Promise<Rec> =>
  (await client.ask('operation.lookup', { target_instance_id: client.instanceId, operation_id })).payload;

describe('a turn', () => {
  test('with a tool: events, lookup, replay and file agree', async () => {
    const held = await hold(client);
    const operation = op();
    const { payload } = await start(client, held, 'What does evidence.txt say?', operation);
    const { turn_id } = payload;
    expect(payload).toEqual({ turn_id, status: 'accepted' });
    const { last } = world.agent;
    last.emit({ type: 'request', index: 0 });
    last.say('Let me ', 'look.');
    last.emit(usage, toolStart, toolEnd, { type: 'request', index: 1 });
    await client.event('turn.activity', (event) => event.activity.request_sequence === 1);
    last.say('\n\n', '\nIt says: evidence text.');
    last.emit(usage);
    last.complete();
    const terminal = (await client.event('turn.terminal')).payload;
    const { events } = client;
    for (const event of events) {
      const schema = EVENTS[event.event as keyof typeof EVENTS];
      expect(schema.safeParse(event.payload).success).toBe(true);
      expect(event).toMatchObject({ grant_generation: 1, operation_id: operation, session_id: held.session });
    }
    expect(events.map((event) => event.live_sequence - event.payload.sequence)).toEqual(events.map(() => 1));
    expect(events.map(shortly)).toEqual([
      'turn.started',
      'context fallback_estimate',
      'delta Let me ',
      'delta look.',
      'context provider_exact',
      'usage',
      'lifecycle tool running',
      'tool read running',
      'tool read completed',
      'lifecycle activity completed',
      'context fallback_estimate',
      'delta \n\n',
      'delta It says: evidence text.',
      'context provider_exact',
      'usage',
      'turn.terminal',
    ]);
    const tool = events.find((event) => event.payload.activity?.kind === 'tool').payload.activity;
    expect(tool.tool_id).toBe('tool-3316348dbadfb7b11c7c2ea235949419e23f9fa898ad2c198f999617912a9925');
    expect(terminal).toEqual({
      turn_id,
      session_id: held.session,
      status: 'completed',
      assistant_text: 'Let me look.\n\nIt says: evidence text.',
      sequence: 15,
      activity_dropped: 0,
      activity_replay_available: false,
      replay_required: true,
      persistence: 'committed',
      error: null,
    });
    expect(await lookup(operation)).toMatchObject({
      state: 'terminal',
      result: { turn_id, status: 'completed', persistence: 'committed' },
    });
    expect(messages(await replay(client, held.session))).toEqual([
      ['user', 'What does evidence.txt say?'],
      ['assistant', 'Let me look.'],
      ['assistant', 'It says: evidence text.'],
      ['terminal', 'completed'],
    ]);
    const [, , , , call, end, , last2] = lines(held.session);
    expect(call?.ev.args).toEqual({ path: 'evidence.txt', filler: `${'x'.repeat(12_288)}… [shortened]` });
    expect(end?.ev).toMatchObject({
      output: 'é'.repeat(6_144),
      outputBytes: 20_000,
      durationMs: 3,
      status: 'ok',
    });
    expect(last2?.ev.usage).toEqual({ inputTokens: 240, outputTokens: 18, cacheReadTokens: 0, cost: 1 });
    expect(statSync(join(world.stateRoot, 'sessions', `${held.session}.jsonl`)).mode & 0o777).toBe(0o600);
  });

  test('sees what was said before', async () => {
    const held = await hold(client);
    await start(client, held, 'one');
    world.agent.last.say('first ', 'answer');
    world.agent.last.emit(toolStart, { ...toolEnd, status: 'denied', output: 'no', notice: 'Not allowed.' });
    world.agent.last.complete();
    const denied = await client.event('turn.activity', (payload) => payload.activity.notice);
    expect(denied.payload.activity).toMatchObject({ status: 'failed', notice: 'Not allowed.' });
    await client.event('turn.terminal');
    await start(client, held, 'two');
    expect(world.agent.last.request.history).toMatchObject([
      { kind: 'user', text: 'one' },
      { kind: 'assistant', text: 'first answer' },
      { kind: 'tool', call: 'c1', name: 'read', output: 'no', status: 'denied' },
    ]);
    expect(world.agent.last.request).toMatchObject({
      prompt: 'two',
      modelId: 'm-1',
      provider: { api: 'demo' },
      sandbox: false,
      rights: plainRights({ bash: false, writeOutside: false }),
    });
    world.agent.last.complete();
  });

  test('is stopped: second start refused, cancel twice, late cancel', async () => {
    const held = await hold(client);
    const operation = op();
    const { turn_id } = (await start(client, held, 'Write a long story', operation)).payload;
    world.agent.last.obeys = false;
    world.agent.last.say('One ');
    await client.event('turn.assistant_delta');
    expect((await start(client, held, 'not yet')).error.code).toBe('session_busy');
    const cancel = (payload: object = { turn_id }) =>
      client.ask('turn.cancel', payload, {
        operation_id: op(),
        session_id: held.session,
        control: held.control,
      });
    expect((await cancel({ turn_id: 'other' })).error.code).toBe('unknown_turn');
    expect((await cancel({})).error.code).toBe('unknown_turn');
    expect((await cancel()).payload).toEqual({
      turn_id,
      session_id: held.session,
      status: 'cancellation_requested',
    });
    expect((await cancel()).error).toBeNull();
    await world.agent.last.aborted;
    world.agent.last.emit({ type: 'end', status: 'cancelled' });
    const { payload } = await client.event('turn.terminal');
    expect(payload).toMatchObject({ status: 'cancelled', error: null, assistant_text: 'One ', sequence: 2 });
    expect((await cancel()).error.code).toBe('unknown_turn');
    expect(await lookup(operation)).toMatchObject({ result: { status: 'cancelled' }, error: null });
    expect(messages(await replay(client, held.session))).toEqual([
      ['user', 'Write a long story'],
      ['assistant', 'One '],
      ['terminal', 'cancelled'],
    ]);
  });

  test('outlives its controller: lookup, active, claim with a running snapshot, go on', async () => {
    const held = await hold(client);
    const operation = op();
    const { turn_id } = (await start(client, held, 'Count', operation)).payload;
    world.agent.last.say('One ');
    await client.event('turn.assistant_delta');
    client.socket.destroy();
    const watcher = await world.client();
    const [session] = await watcher.until(async () => {
      const { payload } = await watcher.ask('session.active');
      return payload.sessions[0]?.controlled === false && payload.sessions;
    });
    expect(session).toEqual({ session_id: held.session, controlled: false, phase: 'running', turn_id });
    world.agent.last.say('Two ');
    client = watcher;
    expect(await lookup(operation)).toMatchObject({ state: 'accepted', result: { turn_id }, error: null });
    const again = await claim(watcher, held.session);
    expect(claimResult.parse(again.claim)).toEqual(again.claim);
    expect(again.claim).toMatchObject({
      generation: 3,
      snapshot: {
        phase: 'running',
        live_sequence: 3,
        turn: {
          turn_id,
          operation_id: operation,
          assistant_text: 'One Two ',
          sequence: 2,
          activity_dropped: 0,
        },
      },
    });
    expect(messages(await replay(watcher, held.session))).toEqual([['user', 'Count']]);
    world.agent.last.say('Three');
    world.agent.last.complete();
    const delta = await watcher.event('turn.assistant_delta');
    expect(delta).toMatchObject({
      grant_generation: 3,
      live_sequence: 4,
      payload: { sequence: 3, text: 'Three' },
    });
    expect((await watcher.event('turn.terminal')).payload.assistant_text).toBe('One Two Three');
  });

  test('leaves its outcome for the next claim when nobody listens', async () => {
    const held = await hold(client);
    await start(client, held, 'Go');
    const detach = { operation_id: op(), session_id: held.session, control: held.control };
    expect((await client.ask('session.detach', {}, detach)).payload).toEqual({ status: 'detached' });
    world.agent.last.emit(toolStart, toolEnd);
    world.agent.last.say('done');
    world.agent.last.complete();
    await client.until(async () => (await client.ask('session.active')).payload.sessions.length === 0);
    const { snapshot } = (await claim(client, held.session)).claim;
    expect(snapshot).toMatchObject({
      phase: 'idle',
      turn: null,
      live_sequence: 7,
      terminal: { status: 'completed', assistant_text: 'done', activity_dropped: 4, sequence: 6 },
    });
    expect(client.events.map((event) => event.event)).toEqual(['turn.started']);
  });

  test('that cannot be saved fails as such and keeps its text', async () => {
    const held = await hold(client);
    const operation = op();
    await start(client, held, 'Count to three', operation);
    rmSync(join(world.stateRoot, 'sessions', `${held.session}.jsonl`));
    world.agent.last.say('One ', 'Two ');
    world.agent.last.complete();
    const error = { code: 'persistence_failed', message: 'Terminal state could not be saved.' };
    expect((await client.event('turn.terminal')).payload).toMatchObject({
      status: 'failed',
      persistence: 'failed',
      assistant_text: 'One Two ',
      error,
    });
    expect(await lookup(operation)).toMatchObject({
      result: { status: 'failed', persistence: 'failed' },
      error,
    });
    const page = await client.ask('session.replay', {}, { session_id: held.session });
    expect(page.error.code).toBe('session_unavailable');
    expect((await start(client, held, 'again')).error.code).toBe('session_unavailable');
  });

  test.each([
    ['raw bytes', 'x'.repeat(16_000), 'y'.repeat(400)],
    ['encoded bytes', '\n'.repeat(9_980), '\n\n\n\n\n'],
  ])('ends at the output limit of %s, without the piece too much', async (_, first, second) => {
    const held = await hold(client);
    await start(client, held, 'A report');
    world.agent.last.say(first, second, 'z');
    await world.agent.last.aborted;
    expect((await client.event('turn.terminal')).payload).toMatchObject({
      status: 'failed',
      persistence: 'committed',
      assistant_text: first,
      error: { code: 'output_limit_exceeded' },
    });
  });

  test('reaches a reader who sleeps through it', async () => {
    const held = await hold(client);
    await start(client, held, 'Fast');
    client.socket.pause();
    for (let index = 0; index < 3_000; index += 1) {
      world.agent.last.say(`${index} `);
      if (index % 50 === 0) world.agent.last.emit(toolStart, toolEnd);
      await new Promise((resolve) => setImmediate(resolve));
    }
    world.agent.last.complete();
    client.socket.resume();
    const { payload } = await client.event('turn.terminal');
    const deltas = client.events.filter((event) => event.event === 'turn.assistant_delta');
    expect(deltas.map((event) => event.payload.text).join('')).toBe(payload.assistant_text);
    expect(deltas.length).toBeLessThan(3_000);
    expect(payload.activity_dropped).toBeGreaterThan(0);
  });

  test('keeps split characters whole', async () => {
    const held = await hold(client);
    await start(client, held, 'Smile');
    world.agent.last.say('a\ud83d', '\ude00b');
    world.agent.last.complete();
    expect((await client.event('turn.terminal')).payload.assistant_text).toBe('a😀b');
  });

  test('that fails in the agent fails with internal_error', async () => {
    const held = await hold(client);
    await start(client, held, 'Go');
    world.agent.last.emit({ type: 'end', status: 'failed', message: 'key sk-12345678 refused' });
    expect((await client.event('turn.terminal')).payload.error.code).toBe('internal_error');
    expect(JSON.stringify(lines(held.session))).not.toContain('refused');
  });

  test('shows thinking as one summary before the answer', async () => {
    const held = await hold(client);
    await start(client, held, 'Think');
    world.agent.last.emit({ type: 'thinking', text: 'hm ' }, { type: 'thinking', text: 'yes' });
    world.agent.last.say('Yes.');
    world.agent.last.complete();
    await client.event('turn.terminal');
    expect(client.events.map(shortly)).toEqual([
      'turn.started',
      'thinking hm yes',
      'delta Yes.',
      'turn.terminal',
    ]);
    expect(messages(await replay(client, held.session))[1]).toEqual(['assistant', 'Yes.']);
  });

  test('refuses resources of a profile that is not there', async () => {
    const held = await hold(client);
    const ask = (application: unknown) =>
      client.ask(
        'turn.start',
        { prompt: 'x', application },
        { operation_id: op(), session_id: held.session, control: held.control },
      );
    expect((await ask(null)).error.code).toBe('unsupported_capability');
    expect((await ask(5)).error.code).toBe('invalid_payload');
  });
});

describe('a turn that was cut off', () => {
  test('shows what was accepted, and gets its end from the next writer', async () => {
    const held = await hold(client);
    const detach = { operation_id: op(), session_id: held.session, control: held.control };
    await client.ask('session.detach', {}, detach);
    const file = join(world.stateRoot, 'sessions', `${held.session}.jsonl`);
    const head = { time: 1, role: 'agent', turn: 'tabc' };
    const envelopes = [
      { id: 'aaa', time: 1, role: 'user', ev: { t: 'text', text: 'Hello' } },
      { id: 'aab', ...head, ev: { t: 'turn-start' } },
      { id: 'aac', ...head, ev: { t: 'text', text: 'part one, ' } },
      { id: 'aad', ...head, ev: { t: 'text', text: 'part two' } },
    ];
    for (const envelope of envelopes) appendFileSync(file, `${JSON.stringify(envelope)}\n`);
    appendFileSync(file, '{"id":"torn');
    const before = await replay(client, held.session);
    expect(messages(before)).toEqual([
      ['user', 'Hello'],
      ['assistant', 'part one, part two'],
    ]);
    expect(before.gap).toBe(true);
    await claim(client, held.session);
    const after = await replay(client, held.session, { after: before.next_cursor });
    expect(messages(after)).toEqual([['terminal', 'failed']]);
    expect([after.gap, after.resync_required]).toEqual([false, false]);
    expect(lines(held.session).map((line) => line.ev?.t ?? 'header')).toEqual([
      'header',
      'text',
      'turn-start',
      'text',
      'text',
      'service',
      'turn-end',
    ]);
  });

  test('text is in the file before the turn ends', async () => {
    const held = await hold(client);
    await start(client, held, 'Go');
    world.agent.last.say('x'.repeat(3_000));
    await client.event('turn.assistant_delta');
    expect(lines(held.session).at(-1)?.ev.text).toHaveLength(3_000);
    world.agent.last.say('later');
    await client.until(async () => {
      await client.ask('session.active');
      return lines(held.session).at(-1)?.ev.text === 'later';
    });
    world.agent.last.complete();
    await client.event('turn.terminal');
    expect(messages(await replay(client, held.session)).slice(-1)).toEqual([['terminal', 'completed']]);
  });

  test('ends as interrupted when the service is told to end', async () => {
    const held = await hold(client);
    await start(client, held, 'Go');
    world.agent.last.say('some');
    await client.event('turn.assistant_delta');
    await world.service.shutdown('SIGTERM');
    await client.untilClosed();
    expect(client.events.at(-1)?.payload).toMatchObject({ status: 'failed', persistence: 'committed' });
    expect(lines(held.session).at(-1)?.ev).toMatchObject({ t: 'turn-end', status: 'failed' });
  });
});

describe('settings of a turn', () => {
  test('a broken file refuses the turn, a mended one is used at once', async () => {
    const held = await hold(client);
    writeFileSync(world.settingsFile, '{');
    expect((await start(client, held, 'x')).error.code).toBe('internal_error');
    const allow = { workspaces: { [world.workspace]: { allow: { bash: true } } }, thinkingLevel: 'high' };
    writeFileSync(world.settingsFile, JSON.stringify(allow));
    expect((await start(client, held, 'x')).error).toBeNull();
    expect(world.agent.last.request).toMatchObject({
      rights: plainRights({ bash: true, writeOutside: false }),
      thinkingLevel: 'high',
    });
    world.agent.last.complete();
  });
});

function shortly({ event, payload }: Rec): string {
  const { activity } = payload;
  if (event === 'turn.assistant_delta') return `delta ${payload.text}`;
  if (activity === undefined) return event;
  if (activity.kind === 'context') return `context ${activity.source}`;
  if (activity.kind === 'lifecycle') return `lifecycle ${activity.category} ${activity.status}`;
  if (activity.kind === 'tool') return `tool ${activity.tool_name} ${activity.status}`;
  return activity.kind === 'reasoning_summary' ? `thinking ${activity.text}` : activity.kind;
}
