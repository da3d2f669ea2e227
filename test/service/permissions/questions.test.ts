import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEvent, PermissionAsk } from '../../../src/agent/runtime.ts';
import {
  claim,
  type Held,
  hold,
  op,
  type Rec,
  start,
  startWorld,
  type WireClient,
  type World,
} from '../harness.ts';
import { ManualClock } from '../manual-clock.ts';

let world: World;
let client: WireClient;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock();
  world = await startWorld({ clock });
  client = await world.profileClient();
});
afterEach(async () => {
  const ending = world.close();
  clock.advance(60_000);
  await ending;
});

const control = (held: Held) => ({ operation_id: op(), session_id: held.session, control: held.control });
const live = (of: WireClient = client): Rec[] =>
  of.events.filter((event) => event.event === 'session.envelope').map((event) => event.payload.envelope);
const ofType = (t: string, of: WireClient = client): Rec[] => live(of).filter(({ ev }) => ev.t === t);
const asked = (call: string, of: WireClient = client): Promise<Rec> =>
  of.event('session.envelope', ({ envelope: { ev } }) => ev.t === 'permission-request' && ev.call === call);
const settings = (): Rec => JSON.parse(readFileSync(world.settingsFile, 'utf8'));
const rules = (): Rec => settings().workspaces[world.workspace].permissions;
const bash = (call: string, subject: string): PermissionAsk => ({
  call,
  toolName: 'bash',
  kind: 'bash',
  subject,
  title: subject,
  args: { command: subject },
});
const toolStart = (call: string): AgentEvent => ({
  type: 'tool-start',
  call,
  name: 'bash',
  title: '',
  args: {},
});
const respond = (held: Held, turn_id: string, call: string, decision: string) =>
  client.ask('turn.permission_response', { turn_id, call, decision }, control(held));
/** The tool begins and asks; the answer is what the tool is told. */
const ask = (question: PermissionAsk, signal = new AbortController().signal) => {
  world.agent.last.emit(toolStart(question.call));
  return world.agent.last.request.permit(question, signal);
};

describe('a question', () => {
  test('asked, allowed always, found in the settings, and taken out again', async () => {
    writeFileSync(world.settingsFile, JSON.stringify({ theme: 'dark', workspaces: { '/other': { x: 1 } } }));
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Test it')).payload;
    const answer = ask(bash('c1', 'npm test && npm run lint'));
    const { envelope } = (await asked('c1')).payload;
    expect(envelope).toMatchObject({
      role: 'agent',
      turn: turn_id,
      ev: {
        toolName: 'bash',
        title: 'npm test && npm run lint',
        args: { command: 'npm test && npm run lint', rules: ['bash: npm test', 'bash: npm run lint'] },
      },
    });
    expect(live().map(({ ev }) => ev.t)).toEqual([
      'text',
      'turn-start',
      'tool-call-start',
      'permission-request',
    ]);
    expect((await respond(held, turn_id, 'c2', 'allow-once')).error.code).toBe('unknown_turn');
    expect((await respond(held, 'other', 'c1', 'allow-once')).error.code).toBe('unknown_turn');
    expect((await respond(held, turn_id, 'c1', 'maybe')).error.code).toBe('invalid_payload');
    expect((await respond(held, turn_id, 'c1', 'allow-always')).payload).toEqual({
      call: 'c1',
      status: 'accepted',
    });
    expect(await answer).toEqual({ allowed: true, by: 'user' });
    expect((await respond(held, turn_id, 'c1', 'deny')).error.code).toBe('unknown_turn');
    expect(ofType('permission-response')).toMatchObject([
      { role: 'user', turn: turn_id, ev: { call: 'c1', decision: 'allow-always' } },
    ]);
    expect(rules()).toEqual({ allow: ['bash: npm test', 'bash: npm run lint'] });
    expect(settings()).toMatchObject({ theme: 'dark', workspaces: { '/other': { x: 1 } } });
    expect(await ask(bash('c3', 'npm run lint 2>&1 | npm test'))).toEqual({ allowed: true, by: 'rule' });
    world.agent.last.emit({
      type: 'tool-end',
      call: 'c3',
      status: 'ok',
      output: 'fine',
      outputBytes: 4,
      durationMs: 1,
      timedOut: false,
      approvedBy: 'rule',
    });
    await client.event('session.envelope', (payload) => payload.envelope.ev.approvedBy === 'rule');
    expect(ofType('permission-request')).toHaveLength(1);
    writeFileSync(world.settingsFile, '{}');
    const again = ask(bash('c4', 'npm test'));
    await asked('c4');
    await respond(held, turn_id, 'c4', 'deny');
    expect(await again).toMatchObject({ allowed: false, notice: 'denied by you' });
    world.agent.last.complete();
    await client.event('turn.terminal');
  });

  test('ends with the stop of the turn', async () => {
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Go')).payload;
    const stopped = new AbortController();
    const answer = ask(bash('c1', 'make'), stopped.signal);
    await asked('c1');
    void world.agent.last.aborted.then(() => stopped.abort());
    await client.ask('turn.cancel', { turn_id }, control(held));
    expect(await answer).toMatchObject({ allowed: false });
    await client.event('turn.terminal');
    expect(
      live()
        .map(({ ev }) => ev.t)
        .slice(-3),
    ).toEqual(['abort', 'permission-response', 'turn-end']);
    expect(ofType('permission-response')[0].ev.decision).toBe('deny');
  });

  test('is denied after ten minutes, with or without a controller', async () => {
    const held = await hold(client);
    await start(client, held, 'Go');
    const answer = ask(bash('c1', 'make'));
    await asked('c1');
    client.socket.destroy();
    const watcher = await world.client();
    await watcher.until(
      async () => (await watcher.ask('session.active')).payload.sessions[0]?.controlled === false,
    );
    clock.advance(600_000);
    expect(await answer).toMatchObject({ allowed: false, notice: 'denied: nobody answered in time' });
    const held2 = await claim(await world.profileClient(), held.session);
    expect(held2.claim.snapshot.phase).toBe('running');
    world.agent.last.complete();
  });

  test('waits for whoever takes the session over', async () => {
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Go')).payload;
    const answer = ask(bash('c1', 'make'));
    await asked('c1');
    client.socket.destroy();
    client = await world.profileClient();
    await client.until(
      async () => (await client.ask('session.active')).payload.sessions[0]?.controlled === false,
    );
    const again = await claim(client, held.session);
    const { payload } = await client.ask('session.envelopes', {}, { session_id: held.session });
    const types = payload.envelopes.map((placed: Rec) => placed.envelope.ev.t);
    expect(types).toContain('permission-request');
    expect((await respond(again, turn_id, 'c1', 'allow-once')).error).toBeNull();
    expect(await answer).toEqual({ allowed: true, by: 'user' });
    world.agent.last.complete();
    await client.event('turn.terminal');
  });

  test('is not put to ordinary clients, nor to nobody', async () => {
    const ordinary = await world.client();
    const held = await hold(ordinary);
    await start(ordinary, held, 'Go');
    const refusal = { allowed: false, notice: expect.stringContaining('allow.bash') };
    expect(await ask(bash('c1', 'make'))).toMatchObject(refusal);
    await ordinary.ask('session.detach', {}, control(held));
    expect(await ask(bash('c2', 'make'))).toMatchObject(refusal);
    const allow = { workspaces: { [world.workspace]: { allow: { bash: true } } } };
    writeFileSync(world.settingsFile, JSON.stringify(allow));
    expect(await ask(bash('c3', 'make'))).toEqual({ allowed: true, by: 'rule' });
    world.agent.last.complete();
  });

  test('with a broken settings file nothing is allowed unasked', async () => {
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Go')).payload;
    writeFileSync(world.settingsFile, '{');
    const answer = ask({ ...bash('c1', '/x/y'), kind: 'write', toolName: 'edit' });
    await asked('c1');
    expect((await respond(held, turn_id, 'c1', 'allow-always')).error).toBeNull();
    expect(await answer).toEqual({ allowed: true, by: 'user' });
    expect(readFileSync(world.settingsFile, 'utf8')).toBe('{');
    world.agent.last.complete();
  });

  test('of an edit shows what would change, within bounds', async () => {
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Go')).payload;
    const edit: PermissionAsk = {
      call: 'c1',
      toolName: 'edit',
      kind: 'write-outside',
      subject: '/else/where.ts',
      title: '/else/where.ts',
      args: { path: '/else/where.ts', old_text: 'x'.repeat(30_000) },
      diff: '+"\n'.repeat(20_000),
    };
    const answer = ask(edit);
    const { envelope } = (await asked('c1')).payload;
    expect(envelope.ev.args).toMatchObject({ path: '/else/where.ts', rules: ['write: /else/where.ts'] });
    expect(envelope.ev.args.diff).toMatch(/^\+"\n/);
    expect(Buffer.byteLength(JSON.stringify(envelope))).toBeLessThanOrEqual(24_576);
    await respond(held, turn_id, 'c1', 'allow-always');
    await answer;
    expect(rules().allow).toEqual(['write: /else/where.ts']);
    expect(await ask({ ...edit, call: 'c2' })).toEqual({ allowed: true, by: 'rule' });
    world.agent.last.complete();
  });
});

describe('modes', () => {
  const inside: PermissionAsk = { ...bash('w', '/w/a.ts'), kind: 'write', toolName: 'edit' };
  const outside: PermissionAsk = { ...inside, call: 'o', kind: 'write-outside', subject: '/else/a.ts' };
  const configure = (held: Held, payload: object) => client.ask('session.configure', payload, control(held));

  test('hold for the session, say what is wanted, and are remembered', async () => {
    const held = await hold(client);
    expect((await configure(held, {})).error.code).toBe('invalid_payload');
    expect((await configure(held, { permission_mode: 'yolo' })).error.code).toBe('invalid_payload');
    expect((await configure(held, { sandbox: true })).error.code).toBe('unsupported_capability');
    expect((await configure(held, { thinking_level: 'max' })).error.code).toBe('unsupported_reasoning');
    const selection = { provider_id: 'demo', model_id: 'm-2' };
    expect((await configure(held, { selection: { ...selection, model_id: 'm-9' } })).error.code).toBe(
      'invalid_selection',
    );
    const plan = await configure(held, { permission_mode: 'plan', thinking_level: 'high' });
    expect(plan.payload.effective).toEqual({
      permission_mode: 'plan',
      selection: { provider_id: 'demo', model_id: 'm-1' },
      thinking_level: 'high',
      sandbox: false,
      sandbox_kind: null,
    });
    await start(client, held, 'Plan it');
    expect(world.agent.last.request).toMatchObject({ modelId: 'm-1', thinkingLevel: 'high' });
    expect(world.agent.last.request.rights).toContain('Plan mode is on');
    for (const question of [inside, outside, bash('b', 'ls')])
      expect(await ask(question)).toMatchObject({
        allowed: false,
        output: expect.stringContaining('Only a plan is wanted'),
      });
    world.agent.last.complete();
    await client.event('turn.terminal');
    expect((await configure(held, { selection })).payload.effective).toMatchObject({
      selection,
      thinking_level: 'default',
    });
    await client.ask('session.detach', {}, control(held));
    await world.service.shutdown('test');
    const next = await startWorld({ ...world, clock });
    const other = await next.profileClient();
    const again = await claim(other, held.session);
    await start(other, again, 'Go on');
    expect(next.agent.last.request).toMatchObject({ modelId: 'm-2', thinkingLevel: 'default' });
    expect(next.agent.last.request.rights).toContain('Plan mode is on');
    next.agent.last.complete();
    await other.event('turn.terminal');
    await other.ask('session.detach', {}, control(again));
    const ordinary = await next.client();
    const plain = await claim(ordinary, held.session);
    await start(ordinary, plain, 'And for others');
    expect(next.agent.last.request).toMatchObject({ modelId: 'm-1' });
    expect(next.agent.last.request.rights).not.toContain('Plan mode is on');
    next.agent.last.complete();
    await ordinary.event('turn.terminal');
    const closing = next.close();
    clock.advance(60_000);
    await closing;
  });

  test('a sandbox where there is one', async () => {
    const kinds: string[] = [];
    const sandboxKind = (workspace: string) => {
      kinds.push(workspace);
      return 'bubblewrap';
    };
    const other = await startWorld({ sandboxKind });
    const reader = await other.profileClient();
    const held = await hold(reader);
    for (const sandbox of [true, true]) {
      const { payload } = await reader.ask('session.configure', { sandbox }, control(held));
      expect(payload.effective).toMatchObject({ sandbox: true, sandbox_kind: 'bubblewrap' });
    }
    expect(kinds).toEqual([other.workspace]);
    await start(reader, held, 'Go');
    expect(other.agent.last.request.sandbox).toBe(true);
    other.agent.last.complete();
    await other.close();
  });

  test('allow what they say, and forbidding rules beat them', async () => {
    const held = await hold(client);
    const { turn_id } = (await start(client, held, 'Go')).payload;
    expect(await ask(inside)).toEqual({ allowed: true, by: 'mode' });
    await configure(held, { permission_mode: 'acceptEdits' });
    expect(await ask(outside)).toEqual({ allowed: true, by: 'mode' });
    const command = ask(bash('b1', 'ls'));
    await asked('b1');
    await respond(held, turn_id, 'b1', 'deny');
    await command;
    await configure(held, { permission_mode: 'bypassPermissions' });
    expect(await ask(bash('b2', 'ls'))).toEqual({ allowed: true, by: 'mode' });
    const deny = { workspaces: { [world.workspace]: { permissions: { deny: ['bash: rm *'] } } } };
    writeFileSync(world.settingsFile, JSON.stringify(deny));
    expect(await ask(bash('b3', 'ls; (sudo rm -rf /)'))).toMatchObject({ allowed: false });
    world.agent.last.complete();
    await client.event('turn.terminal');
  });
});
