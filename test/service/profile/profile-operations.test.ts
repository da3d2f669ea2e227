import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/agent/runtime.ts';
import { ALL_OPERATIONS, type ProfileMethod } from '../../../src/wire/operations.ts';
import {
  claim,
  type Held,
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
  client = await world.profileClient();
});
afterEach(() => world.close());

const control = (held: Held) => ({ operation_id: op(), session_id: held.session, control: held.control });
/** The payload, or the code of the error. */
const ask = async (method: ProfileMethod, payload: object, slots: object): Promise<Rec> => {
  const response = await client.ask(method, payload, { ...slots });
  if (response.error !== null) return response.error.code;
  return ALL_OPERATIONS[method].result.parse(response.payload);
};
const list = async (payload: object = {}): Promise<Rec[]> =>
  (await client.ask('session.list', payload)).payload.sessions;
const envelopes = async (session: string): Promise<Rec[]> =>
  (await client.ask('session.envelopes', {}, { session_id: session })).payload.envelopes;
async function talk(held: Held, prompt: string, answer: string): Promise<void> {
  await start(client, held, prompt);
  const { last } = world.agent;
  last.say(answer);
  last.complete();
  const before = client.events.length;
  await client.until(() => client.events.slice(before - 1).some((event) => event.event === 'turn.terminal'));
}

describe('names and the archive', () => {
  test('a name is one plain line, told at once, and listed', async () => {
    const held = await hold(client);
    await talk(held, 'First words', 'yes');
    expect((await list())[0].title).toBe('First words');
    const rename = (title: string) => ask('session.rename', { title }, control(held));
    expect(await rename('  My\u001b[31m\n\u202ename ')).toEqual({
      session_id: held.session,
      title: 'My name',
    });
    expect(client.events.at(-1)).toMatchObject({
      event: 'session.envelope',
      operation_id: null,
      session_id: held.session,
      payload: { turn_id: null, sequence: null, envelope: { ev: { t: 'service', title: 'My name' } } },
    });
    expect((await list())[0].title).toBe('My name');
    expect([await rename(' \n'), await rename('x'.repeat(201))]).toEqual([
      'invalid_payload',
      'limit_exceeded',
    ]);
    expect(await rename('é'.repeat(200))).toMatchObject({ title: 'é'.repeat(200) });
    const ordinary = await world.client();
    expect((await ordinary.ask('session.list')).payload.sessions[0].title).toBe('é'.repeat(200));
    expect((await replay(client, held.session)).events).toHaveLength(3);
    const stale = { ...control(held), control: { grant_id: 'g', generation: 9 } };
    expect(await ask('session.rename', { title: 'x' }, stale)).toBe('stale_grant');
  });

  test('the archive is listed on its own and can be left again', async () => {
    const held = await hold(client);
    const archive = (archived: boolean) =>
      ask('session.archive', { archived }, { operation_id: op(), session_id: held.session });
    expect(await archive(true)).toBe('session_controlled');
    await client.ask('session.detach', {}, control(held));
    expect(await archive(true)).toEqual({ session_id: held.session, archived: true });
    expect([await list(), (await list({ archived: true })).map(({ session_id }) => session_id)]).toEqual([
      [],
      [held.session],
    ]);
    expect((await client.ask('session.list')).payload.incomplete).toBe(false);
    const before = readFileSync(join(world.stateRoot, 'sessions', `${held.session}.jsonl`));
    await archive(true);
    expect(readFileSync(join(world.stateRoot, 'sessions', `${held.session}.jsonl`))).toEqual(before);
    const copy = await ask(
      'session.fork',
      { through: null },
      { operation_id: op(), session_id: held.session },
    );
    expect((await list()).map(({ session_id }) => session_id)).toEqual([copy.session_id]);
    expect(await archive(false)).toEqual({ session_id: held.session, archived: false });
    expect(await list()).toHaveLength(2);
    expect(await ask('session.archive', { archived: true }, { operation_id: op(), session_id: 'none' })).toBe(
      'session_unavailable',
    );
  });
});

describe('a copy', () => {
  const fork = (session_id: string, through: string | null) =>
    ask('session.fork', { through }, { operation_id: op(), session_id });
  const texts = async (session: string) =>
    (await replay(client, session)).events.map((event: Rec) => event.text ?? event.status);

  test('ends where it is told, and never within a turn', async () => {
    const held = await hold(client);
    await talk(held, 'One', 'first');
    await talk(held, 'Two', 'second');
    await start(client, held, 'Three');
    world.agent.last.say('x'.repeat(3_000));
    await client.event('turn.assistant_delta', (payload) => payload.text.length === 3_000);
    const whole = ['One', 'first', 'completed', 'Two', 'second', 'completed'];
    const { session_id } = await fork(held.session, null);
    expect(await texts(session_id)).toEqual(whole);
    const placed = await envelopes(held.session);
    const at = async (fits: (ev: Rec) => boolean) =>
      texts((await fork(held.session, placed.find(({ envelope }) => fits(envelope.ev)).cursor)).session_id);
    expect(await at((ev) => ev.t === 'turn-end')).toEqual(whole.slice(0, 3));
    expect(await at((ev) => ev.text === 'second')).toEqual(whole.slice(0, 3));
    expect(await at((ev) => ev.text === 'Two')).toEqual(whole.slice(0, 3));
    expect(await at((ev) => ev.text === 'first')).toEqual([]);
    expect(await fork(held.session, 'e1_5_abc')).toBe('resource_not_found');
    world.agent.last.complete();
    const other = await claim(client, session_id);
    await talk(other, 'Another way', 'indeed');
    expect(await texts(session_id)).toEqual([...whole, 'Another way', 'indeed', 'completed']);
    expect(world.agent.last.request.history).toHaveLength(4);
  });
});

describe('outputs of tools', () => {
  const run = (call: string, output: string): AgentEvent[] => [
    { type: 'tool-start', call, name: 'bash', title: 'x', args: {} },
    { type: 'tool-end', call, status: 'ok', output, outputBytes: 1, durationMs: 1, timedOut: false },
  ];
  test('are read whole, in pieces between characters, also in a copy', async () => {
    const held = await hold(client);
    await start(client, held, 'Run');
    const long = '"é😀\n'.repeat(20_000);
    world.agent.last.emit(...run('long', long), ...run('short', 'été'), ...run('none', ''));
    world.agent.last.complete();
    await client.event('turn.terminal');
    const { session_id } = await ask(
      'session.fork',
      { through: null },
      { operation_id: op(), session_id: held.session },
    );
    for (const session of [held.session, session_id]) {
      let text = '';
      for (let offset: number | null = 0; offset !== null; ) {
        const range: Rec = await ask(
          'tool.output',
          { call: 'long', offset, limit: 16_384 },
          { session_id: session },
        );
        expect(Buffer.byteLength(JSON.stringify(range.text))).toBeLessThanOrEqual(12_290);
        expect(range).toMatchObject({ call: 'long', offset, total_bytes: Buffer.byteLength(long) });
        text += range.text;
        offset = range.next_offset;
      }
      expect(text).toBe(long);
    }
    const read = (call: string, offset: number, limit: number) =>
      ask('tool.output', { call, offset, limit }, { session_id: held.session });
    expect(await read('short', 0, 100)).toMatchObject({ text: 'été', next_offset: null, total_bytes: 5 });
    expect(await read('short', 1, 4)).toMatchObject({ offset: 1, text: 'té' });
    expect(await read('none', 0, 1)).toMatchObject({ text: '', next_offset: null, total_bytes: 0 });
    expect(await read('long', 2, 1)).toMatchObject({ offset: 2, text: '😀', next_offset: 7 });
    expect(await read('short', 99, 1)).toMatchObject({ offset: 99, text: '', next_offset: null });
    expect(await read('never', 0, 1)).toBe('resource_not_found');
    expect(await read('short', 0, 0)).toBe('limit_exceeded');
    const [end] = (await envelopes(held.session)).filter(({ envelope }) => envelope.ev.t === 'tool-call-end');
    expect(long.startsWith(end.envelope.ev.output)).toBe(true);
  });
});

describe('attached files', () => {
  const attach = (held: Held, path: string) => ask('session.attach_file', { path }, control(held));
  const png = Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    Buffer.from('0000000d49484452000000030000000508020000', 'hex'),
  ]);

  test('are captured once, recorded, and shown to the model as a place', async () => {
    const held = await hold(client);
    writeFileSync(join(world.workspace, 'shot.bin'), png);
    writeFileSync(join(world.workspace, 'note.md'), '# Hello');
    const image = await attach(held, 'shot.bin');
    expect(image).toEqual({
      ref: expect.stringMatching(/^[0-9a-f]{64}$/),
      name: 'shot.bin',
      size: png.length,
      mime_type: 'image/png',
      image: { width: 3, height: 5, thumbhash: '' },
    });
    const note = await attach(held, join(world.workspace, 'note.md'));
    expect(note).toMatchObject({ mime_type: 'text/markdown', image: null });
    const payload = { prompt: 'Look', attachments: [{ ref: image.ref }, { ref: note.ref }] };
    expect((await client.ask('turn.start', payload, control(held))).error).toBeNull();
    const { request } = world.agent.last;
    const path = join(world.stateRoot, 'attachments', image.ref);
    expect(request.prompt).toMatch(
      /^Look\n\n\[Attached file "shot\.bin" \(image\/png, \d+ bytes\), readable at /,
    );
    expect(request.prompt).toContain(path);
    expect(readFileSync(path)).toEqual(png);
    const read = { call: 'c', toolName: 'read', kind: 'read-outside', title: '', args: {} } as const;
    const never = new AbortController().signal;
    expect(await request.permit({ ...read, subject: path }, never)).toEqual({ allowed: true, by: 'mode' });
    world.agent.last.complete();
    await client.event('turn.terminal');
    const types = (await envelopes(held.session)).map(({ envelope }) => envelope.ev.t);
    expect(types).toEqual(['session-control-changed', 'text', 'file', 'file', 'turn-start', 'turn-end']);
    await start(client, held, 'And now?');
    expect(world.agent.last.request.history[0]).toMatchObject({ kind: 'user', text: request.prompt });
    expect((await replay(client, held.session)).events[0].text).toBe('Look');
    world.agent.last.complete();
  });

  test('are refused where they lead out, are no files, or are too large', async () => {
    const held = await hold(client);
    const inside = (name: string) => join(world.workspace, name);
    symlinkSync('/etc/hostname', inside('link'));
    symlinkSync('/etc', inside('folder'));
    mkdirSync(inside('dir'));
    writeFileSync(inside('large'), Buffer.alloc(10_485_761));
    for (const path of ['link', 'folder/hostname', 'dir', 'missing', join(world.stateRoot, 'settings.json')])
      expect(await attach(held, path), path).toBe('resource_not_found');
    expect(await attach(held, 'large')).toBe('limit_exceeded');
    expect([await attach(held, ''), await attach(held, 'a\0b')]).toEqual([
      'invalid_payload',
      'invalid_payload',
    ]);
    const payload = { prompt: 'x', attachments: [{ ref: 'a'.repeat(64) }] };
    expect((await client.ask('turn.start', payload, control(held))).error.code).toBe('resource_not_found');
  });
});

describe('search', () => {
  test('finds names and texts of all sessions, newest first, page by page', async () => {
    const one = await hold(client);
    await talk(one, 'Where is the Needle?', 'In the haystack.');
    await client.ask('session.detach', {}, control(one));
    await new Promise((resolve) => setTimeout(resolve, 10));
    const two = await hold(client);
    await talk(two, 'Hello', `${'hay '.repeat(600)}NEEDLE ${'hay '.repeat(600)}`);
    await ask('session.rename', { title: 'About needles' }, control(two));
    const search = (payload: object) => ask('session.search', payload, {});
    const { hits, next_after, truncated } = await search({ query: 'needle' });
    expect([next_after, truncated]).toEqual([null, false]);
    expect(hits.map((hit: Rec) => [hit.session_id, hit.title])).toEqual([
      [two.session, 'About needles'],
      [two.session, 'About needles'],
      [one.session, 'Where is the Needle?'],
    ]);
    expect(hits[1].snippet).toMatch(/^….*NEEDLE/);
    expect([...hits[1].snippet].length).toBeLessThanOrEqual(200);
    const paged: Rec[] = [];
    for (let after: string | null = null; ; ) {
      const page: Rec = await search({ query: 'needle', after, limit: 1 });
      paged.push(...page.hits);
      after = page.next_after;
      if (after === null) break;
      expect(page.truncated).toBe(true);
    }
    expect(paged).toEqual(hits);
    expect(await search({ query: '.*' })).toMatchObject({ hits: [] });
    expect(await search({ query: 'x', after: 'nonsense' })).toMatchObject({ hits: [], next_after: null });
    expect([await search({ query: ' ' }), await search({ query: 'x'.repeat(201) })]).toEqual([
      'invalid_payload',
      'limit_exceeded',
    ]);
    const { envelopes: around } = (
      await client.ask('session.envelopes', { before: hits[2].cursor, limit: 1 }, { session_id: one.session })
    ).payload;
    expect(around).toHaveLength(1);
  });

  test('finds what two pieces of one answer say together', async () => {
    const held = await hold(client);
    await start(client, held, 'Go');
    world.agent.last.say(`${'x'.repeat(2_100)} nee`, 'dle');
    world.agent.last.complete();
    await client.event('turn.terminal');
    const { hits } = await ask('session.search', { query: 'needle' }, {});
    expect(hits).toHaveLength(1);
  });
});
