import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/agent/runtime.ts';
import {
  EVENTS,
  OPERATIONS,
  PROFILE_EVENTS,
  PROFILE_OPERATIONS,
  type ProfileMethod,
} from '../../../src/wire/operations.ts';
import { preflight } from '../../../src/wire/preflight.ts';
import { claimResult } from '../../../src/wire/session.ts';
import { envelopesResult, sessionProtocol } from '../../../src/wire/session-protocol.ts';
import { turnAssistantDelta } from '../../../src/wire/turn.ts';
import {
  claim,
  createSession,
  type Held,
  hold,
  op,
  type Rec,
  replay,
  start,
  startWorld,
  VERSION,
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
const page = async (session: string, payload: object = {}): Promise<Rec> => {
  const response = await client.ask('session.envelopes', payload, { session_id: session });
  return envelopesResult.parse(response.payload);
};
const live = (of: WireClient = client): Rec[] =>
  of.events.filter((event) => event.event === 'session.envelope').map((event) => event.payload);
const types = (envelopes: readonly Rec[]) => envelopes.map(({ envelope }) => envelope.ev.t);
const toolStart: AgentEvent = {
  type: 'tool-start',
  call: 'c1',
  name: 'read',
  title: 'a.txt',
  args: { path: 'a.txt' },
};
const toolEnd: AgentEvent = {
  type: 'tool-end',
  call: 'c1',
  status: 'ok',
  output: 'text',
  outputBytes: 4,
  durationMs: 1,
  timedOut: false,
};

describe('negotiation', () => {
  test('adds to what is advertised, for that connection alone', async () => {
    const fresh = world.hello('connect');
    const { payload } = await fresh.initialize(['session_protocol_v2']);
    const { capabilities } = payload;
    expect(capabilities.negotiated_capabilities).toEqual(['session_protocol_v2']);
    expect(capabilities.operations).toEqual([...Object.keys(OPERATIONS), ...Object.keys(PROFILE_OPERATIONS)]);
    expect(capabilities.events).toEqual([...Object.keys(EVENTS), ...Object.keys(PROFILE_EVENTS)]);
    expect(sessionProtocol.parse(capabilities.session_protocol)).toMatchObject({
      max_envelope_bytes: 24_576,
      permission_modes: ['default', 'acceptEdits', 'bypassPermissions', 'plan'],
      decisions: ['allow-once', 'allow-always', 'deny'],
    });
    const expected = { identity: world, version: VERSION, asked: ['session_protocol_v2'] };
    expect(preflight(payload, expected)).toBeNull();
    expect((await fresh.ask('capabilities')).payload).toEqual(capabilities);
    const ordinary = await world.client();
    const { payload: plain } = await ordinary.ask('capabilities');
    expect([plain.negotiated_capabilities, plain.session_protocol]).toEqual([undefined, undefined]);
    expect(plain.operations).toEqual(Object.keys(OPERATIONS));
  });

  test('an ordinary connection cannot do what the profile adds, and a mutation is used up', async () => {
    const ordinary = await world.client();
    const grant = { grant_id: 'g', generation: 1 };
    for (const [name, needs] of Object.entries(PROFILE_OPERATIONS)) {
      const slots = {
        operation_id: needs.mutation ? op() : null,
        session_id: needs.session ? 's' : null,
        control: needs.control ? grant : null,
      };
      expect((await ordinary.ask(name, {}, slots)).error.code).toBe('unsupported_capability');
      if (!needs.mutation) continue;
      expect((await ordinary.ask(name, {}, slots)).error.code).toBe('operation_already_known');
      const lookup = { target_instance_id: ordinary.instanceId, operation_id: slots.operation_id };
      const { payload } = await ordinary.ask('operation.lookup', lookup);
      expect(payload).toMatchObject({ state: 'rejected', method: name as ProfileMethod });
    }
    const fresh = world.hello('connect');
    expect((await fresh.ask('session.envelopes', {}, { session_id: 's' })).error.code).toBe(
      'not_initialized',
    );
    const held = await hold(ordinary);
    const attached = { prompt: 'x', attachments: [] };
    expect((await ordinary.ask('turn.start', attached, control(held))).error.code).toBe('invalid_payload');
    expect((await ordinary.ask('session.list', { archived: true })).error.code).toBe('invalid_payload');
  });
});

describe('a turn in envelopes', () => {
  test('events, pages and deltas say the same', async () => {
    const held = await hold(client);
    const operation = op();
    const { turn_id } = (await start(client, held, 'Look', operation)).payload;
    const { last } = world.agent;
    last.emit({ type: 'thinking', text: 'hm' });
    last.say('Let me ', 'look.');
    await client.event('turn.assistant_delta', (payload) => payload.text === 'look.');
    last.emit(toolStart, toolEnd);
    await client.event('session.envelope', (payload) => payload.envelope.ev.t === 'tool-call-end');
    last.emit({ type: 'subagent-start', agentId: 'sa1', call: 'c1', title: 'Helper' });
    last.emit({ type: 'text', text: 'aside', subagent: 'sa1' });
    last.emit({ type: 'subagent-stop', agentId: 'sa1', status: 'completed' });
    await client.event('session.envelope', (payload) => payload.envelope.ev.t === 'subagent-stop');
    last.say('\n\nDone.');
    last.complete();
    const terminal = (await client.event('turn.terminal')).payload;
    expect(terminal).toMatchObject({ status: 'completed', assistant_text: 'Let me look.\n\nDone.' });
    expect(terminal.text_in_envelopes).toBeUndefined();
    const { events } = client;
    const sequences = events.map((event) => event.payload.sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index));
    for (const event of events) {
      expect(event).toMatchObject({ session_id: held.session, operation_id: operation, grant_generation: 1 });
      expect(event.live_sequence).toBe(event.payload.sequence + 1);
    }
    const sent = live();
    for (const payload of sent) {
      expect(PROFILE_EVENTS['session.envelope'].safeParse(payload).success).toBe(true);
      expect(payload.turn_id).toBe(turn_id);
    }
    expect(types(sent)).toEqual([
      'text',
      'turn-start',
      'text',
      'text',
      'tool-call-start',
      'tool-call-end',
      'subagent-start',
      'text',
      'subagent-stop',
      'text',
      'turn-end',
    ]);
    const deltas = events
      .filter((event) => event.event === 'turn.assistant_delta')
      .map((event) => turnAssistantDelta.parse(event.payload));
    for (const { envelope } of sent) {
      if (envelope.ev.t !== 'text' || envelope.role !== 'agent') continue;
      const own = deltas.filter((delta) => delta.envelope_id === envelope.id);
      expect(own.map((delta) => delta.text).join('')).toBe(envelope.ev.text);
      expect(own.map((delta) => delta.thinking)).toEqual(own.map(() => envelope.ev.thinking));
      expect(own.map((delta) => delta.subagent)).toEqual(own.map(() => envelope.subagent));
    }
    expect(deltas.map((delta) => delta.text)).toEqual(['hm', 'Let me ', 'look.', 'aside', 'Done.']);
    const read = await page(held.session);
    expect(types(read.envelopes)).toEqual(['session-control-changed', ...types(sent)]);
    expect(read.envelopes.slice(1)).toEqual(sent.map(({ cursor, envelope }) => ({ cursor, envelope })));
    expect(read).toMatchObject({ has_earlier: false, has_later: false, gap: false, resync_required: false });
    expect((await replay(client, held.session)).events.map((event: Rec) => event.text)).toEqual([
      'Look',
      'Let me look.',
      'Done.',
      undefined,
    ]);
  });

  test('an ordinary controller hears nothing of it, and leaves no trace of its control', async () => {
    const ordinary = await world.client();
    const held = await hold(ordinary);
    await start(ordinary, held, 'Think');
    world.agent.last.emit({ type: 'thinking', text: 'hm' }, { type: 'text', text: 'aside', subagent: 'sa1' });
    world.agent.last.say('Yes.');
    world.agent.last.complete();
    const terminal = (await ordinary.event('turn.terminal')).payload;
    expect(terminal).toMatchObject({ assistant_text: 'Yes.', sequence: 3 });
    expect(ordinary.events.map((event) => event.event)).toEqual([
      'turn.started',
      'turn.activity',
      'turn.assistant_delta',
      'turn.terminal',
    ]);
    const [delta] = ordinary.events.filter((event) => event.event === 'turn.assistant_delta');
    expect(Object.keys(delta?.payload)).toEqual(['turn_id', 'sequence', 'text']);
    await ordinary.ask('session.detach', {}, control(held));
    expect(types((await page(held.session)).envelopes)).not.toContain('session-control-changed');
  });

  test('is taken over in the middle: envelopes and what is pending are everything', async () => {
    const held = await hold(client);
    await start(client, held, 'Count');
    world.agent.last.say('One ', 'two ');
    world.agent.last.emit(toolStart);
    world.agent.last.say('three ');
    await client.event('turn.assistant_delta', (payload) => payload.text === 'three ');
    client.socket.destroy();
    client = await world.profileClient();
    await client.until(
      async () => (await client.ask('session.active')).payload.sessions[0]?.controlled === false,
    );
    const again = await claim(client, held.session);
    const { snapshot } = claimResult.parse(again.claim);
    expect(snapshot.turn).toMatchObject({
      assistant_text: 'One two three ',
      pending: { text: 'three ', thinking: false },
    });
    const { envelopes } = await page(held.session);
    expect(types(envelopes)).toEqual([
      'session-control-changed',
      'text',
      'turn-start',
      'text',
      'tool-call-start',
      'session-control-changed',
      'session-control-changed',
    ]);
    expect(envelopes.map((placed: Rec) => placed.envelope.ev.clientType).filter(Boolean)).toEqual([
      'cli',
      'daemon',
      'cli',
    ]);
    world.agent.last.say('four');
    world.agent.last.complete();
    await client.event('turn.terminal');
    const [text] = live();
    expect(text.envelope).toMatchObject({
      id: snapshot.turn?.pending?.envelope_id,
      ev: { t: 'text', text: 'three four' },
    });
    const ordinary = await world.client();
    await client.ask('session.detach', {}, control(again));
    const plain = await claim(ordinary, held.session);
    expect(plain.claim.snapshot.terminal.assistant_text).toBe('One two three four');
  });

  test('one that is much too long for ordinary records', async () => {
    const held = await hold(client);
    await start(client, held, 'A book');
    const text = `${'A line of some length that goes on.\n'.repeat(40)}`;
    for (let index = 0; index < 40; index += 1) {
      world.agent.last.say(text);
      await client.event('turn.assistant_delta', (payload) => payload.sequence > index);
    }
    client.socket.destroy();
    const ordinary = await world.client();
    client = await world.profileClient();
    await client.until(
      async () => (await client.ask('session.active')).payload.sessions[0]?.controlled === false,
    );
    const refused = await ordinary.ask('session.claim', {}, { operation_id: op(), session_id: held.session });
    expect(refused.error.code).toBe('session_busy');
    const again = await claim(client, held.session);
    expect(again.claim.snapshot.turn.assistant_text).toBe('');
    world.agent.last.complete();
    expect((await client.event('turn.terminal')).payload).toMatchObject({
      status: 'completed',
      assistant_text: '',
      text_in_envelopes: true,
    });
    await client.ask('session.detach', {}, control(again));
    expect((await claim(ordinary, held.session)).claim.snapshot.terminal).toBeNull();
    const parts = await all(held.session);
    const said = parts.filter(({ envelope }) => envelope.role === 'agent' && envelope.ev.t === 'text');
    expect(said.map(({ envelope }) => envelope.ev.text).join('')).toBe(text.repeat(40));
    const shown = await replayed(ordinary, held.session);
    const answers = shown.filter((event) => event.role === 'assistant');
    expect(answers.map((event) => event.text).join('')).toBe(text.repeat(40));
  });

  test('a long answer to an ordinary controller still ends at the ordinary limit', async () => {
    const ordinary = await world.client();
    const held = await hold(client);
    await start(client, held, 'A book');
    await client.ask('session.detach', {}, control(held));
    await claim(ordinary, held.session);
    world.agent.last.say('x'.repeat(16_000), 'y'.repeat(500));
    await world.agent.last.aborted;
    expect((await ordinary.event('turn.terminal')).payload.error.code).toBe('output_limit_exceeded');
  });

  test('everything fits its bounds, whatever tools and models do', async () => {
    const held = await hold(client);
    const prompt = '"\n'.repeat(8_000);
    expect((await start(client, held, prompt)).error).toBeNull();
    const deep = Array.from({ length: 200 }, (_, index) => ({ [`k${index}`]: '\u0001'.repeat(500) }));
    world.agent.last.emit(
      { ...toolStart, args: { deep, text: '\u0001'.repeat(30_000), lone: '\ud800', nan: Number.NaN } },
      { ...toolEnd, output: '\u0001'.repeat(40_000), diff: '"'.repeat(40_000), notice: 'é'.repeat(4_000) },
      { type: 'thinking', text: '\u0002'.repeat(15_000) },
    );
    world.agent.last.complete();
    await client.event('turn.terminal');
    const sent = live();
    for (const { envelope } of sent) expect(Buffer.byteLength(JSON.stringify(envelope))).toBeLessThan(24_577);
    const prompts = sent.filter(({ envelope }) => envelope.role === 'user');
    expect(prompts.map(({ envelope }) => envelope.ev.text).join('')).toBe(prompt);
    expect(prompts.length).toBeGreaterThan(1);
    const shown = (await replayed(client, held.session)).filter((event) => event.role === 'user');
    expect(shown.map((event) => event.part)).toEqual(shown.map((_, index) => index));
    expect(shown.map((event) => event.text).join('')).toBe(prompt);
    expect((await all(held.session)).length).toBe(sent.length + 1);
  });
});

async function replayed(reader: WireClient, session: string): Promise<Rec[]> {
  const shown: Rec[] = [];
  for (let after: string | null = null; ; ) {
    const next: Rec = await replay(reader, session, { after });
    shown.push(...next.events);
    if (!next.truncated) return shown;
    after = next.next_cursor;
  }
}

async function all(session: string): Promise<Rec[]> {
  const found: Rec[] = [];
  for (let before: string | null = null; ; ) {
    const next: Rec = await page(session, { before });
    found.unshift(...next.envelopes);
    if (!next.has_earlier) return found;
    before = next.first_cursor;
  }
}

describe('steering', () => {
  test('is recorded, passed on, and refused once the turn has ended', async () => {
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Go')).payload;
    const { last } = world.agent;
    const steer = (text: string, turn = turn_id) =>
      client.ask('turn.steer', { turn_id: turn, text }, control(held));
    expect((await steer('not yet')).error.code).toBe('unknown_turn');
    last.takesSteers = true;
    last.say('One ');
    await client.event('turn.assistant_delta');
    const { payload } = await steer('Skip that');
    expect(payload).toEqual({ turn_id, envelope_id: expect.any(String), status: 'accepted' });
    expect(last.steered).toEqual(['Skip that']);
    expect((await steer('x', 'other')).error.code).toBe('unknown_turn');
    expect((await steer(' ')).error.code).toBe('invalid_payload');
    expect((await steer('x'.repeat(12_289))).error.code).toBe('limit_exceeded');
    expect(live().at(-1)?.envelope).toMatchObject({
      id: payload.envelope_id,
      role: 'user',
      turn: turn_id,
      ev: { t: 'text', text: 'Skip that', steer: true },
    });
    const texts = async () => (await replay(client, held.session)).events.map((event: Rec) => event.text);
    expect(await texts()).toEqual(['Go']);
    last.emit({ type: 'steer-taken', text: 'Skip that' });
    last.say('Two');
    last.complete();
    await client.event('turn.terminal');
    expect((await steer('late')).error.code).toBe('unknown_turn');
    expect(await texts()).toEqual(['Go', 'One ', 'Skip that', 'Two', undefined]);
    await start(client, held, 'next');
    expect(world.agent.last.request.history).toMatchObject([
      { kind: 'user', text: 'Go' },
      { kind: 'assistant', text: 'One ' },
      { kind: 'user', text: 'Skip that' },
      { kind: 'assistant', text: 'Two' },
    ]);
    world.agent.last.complete();
    expect(await createSession(client)).toBeTruthy();
  });
});
