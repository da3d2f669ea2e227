import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayResult, sessionListResult } from '../../../src/wire/session.ts';
import {
  claim,
  createSession,
  hold,
  op,
  type Rec,
  replay,
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

const file = (id: string) => join(world.stateRoot, 'sessions', `${id}.jsonl`);

/** A session file as another program may have left it. */
function writeSession(id: string, texts: readonly [role: 'user' | 'agent', text: string][]): void {
  const header = {
    format: 'magi-term-session',
    version: 1,
    session_id: id,
    created_at: 1,
    workspace: '/elsewhere',
  };
  const rows = texts.map(([role, text], index) => ({
    id: `a${index}`,
    time: 1,
    role,
    ...(role === 'agent' ? { turn: 'tt' } : {}),
    ev: { t: 'text', text },
  }));
  writeFileSync(file(id), [header, ...rows].map((row) => `${JSON.stringify(row)}\n`).join(''), {
    mode: 0o600,
  });
}

describe('create, claim, detach', () => {
  test('as in the reference', async () => {
    const session = await createSession(client);
    expect(session).toMatch(/^[0-9a-f]{8}-/);
    const { payload } = await client.ask('session.list', { after: null, limit: 1 });
    expect(sessionListResult.parse(payload)).toEqual(payload);
    expect(payload).toEqual({
      sessions: [
        {
          session_id: session,
          title: null,
          updated_at: expect.stringMatching(/\.\d{9}\+00:00$/),
          ownership_hint: 'unowned',
        },
      ],
      next_after: null,
      truncated: false,
      incomplete: false,
    });
    const held = await claim(client, session);
    const snapshot = {
      instance_id: client.instanceId,
      session_id: session,
      live_sequence: 0,
      phase: 'idle',
      turn: null,
      terminal: null,
      activity_replay_available: false,
    };
    expect(held.claim).toEqual({ grant_id: held.control.grant_id, generation: 1, snapshot });
    expect((await client.ask('session.active')).payload.sessions).toEqual([
      { session_id: session, controlled: true, phase: 'idle', turn_id: null },
    ]);
    const again = await client.ask('session.claim', {}, { operation_id: op(), session_id: session });
    expect(again.error.code).toBe('session_controlled');
    const empty = await replay(client, session, { after: null, limit: 32 });
    expect(empty).toEqual({
      events: [],
      next_cursor: empty.snapshot_cursor,
      snapshot_cursor: expect.stringMatching(/^r1_0_[0-9a-f]{64}$/),
      truncated: false,
      gap: false,
      resync_required: false,
    });
    const detach = (control: object) =>
      client.ask('session.detach', {}, { operation_id: op(), session_id: session, control });
    expect((await detach({ ...held.control, generation: 2 })).error.code).toBe('stale_grant');
    expect((await detach(held.control)).payload).toEqual({ status: 'detached' });
    expect((await detach(held.control)).error.code).toBe('stale_grant');
    expect((await client.ask('session.active')).payload.sessions).toEqual([]);
    expect((await claim(client, session)).control.generation).toBe(3);
  });

  test('control belongs to one connection and ends with it', async () => {
    const held = await hold(client);
    const other = await world.client();
    const slots = { operation_id: op(), session_id: held.session, control: held.control };
    expect((await other.ask('session.detach', {}, slots)).error.code).toBe('stale_grant');
    client.socket.destroy();
    await other.until(async () => (await other.ask('session.active')).payload.sessions.length === 0);
    expect((await claim(other, held.session)).control.generation).toBe(3);
  });

  test('sixteen sessions and no more', async () => {
    for (let index = 0; index < 16; index += 1) await hold(client);
    expect((await client.ask('session.create', {}, { operation_id: op() })).error.code).toBe(
      'limit_exceeded',
    );
  });

  test('one writer across services', async () => {
    const held = await hold(client);
    const second = await startWorld({ stateRoot: world.stateRoot });
    const other = await second.client();
    const claimIt = () => other.ask('session.claim', {}, { operation_id: op(), session_id: held.session });
    expect((await other.ask('session.list')).payload.sessions[0].ownership_hint).toBe('daemon-owned');
    expect((await claimIt()).error.code).toBe('session_busy');
    await client.ask(
      'session.detach',
      {},
      { operation_id: op(), session_id: held.session, control: held.control },
    );
    expect((await claimIt()).error).toBeNull();
    await second.close();
  });

  test('a file that is no session', async () => {
    const session = await createSession(client);
    writeFileSync(file(session), 'something else\n');
    const claimIt = await client.ask('session.claim', {}, { operation_id: op(), session_id: session });
    expect(claimIt.error.code).toBe('session_unavailable');
    expect((await client.ask('session.list')).payload).toMatchObject({ sessions: [], incomplete: true });
  });
});

describe('the list', () => {
  test('pages by ID', async () => {
    for (const id of ['c', 'a', 'b']) {
      mkdirSync(join(world.stateRoot, 'sessions'), { recursive: true });
      writeSession(id, [['user', `Title of ${id}`]]);
    }
    utimesSync(file('a'), 1_000, 1_000.5);
    const first = (await client.ask('session.list', { limit: 2 })).payload;
    expect(first).toEqual({
      sessions: [
        {
          session_id: 'a',
          title: 'Title of a',
          updated_at: '1970-01-01T00:16:40.500000000+00:00',
          ownership_hint: 'unowned',
        },
        expect.objectContaining({ session_id: 'b' }),
      ],
      next_after: 'b',
      truncated: true,
      incomplete: false,
    });
    const second = (await client.ask('session.list', { after: 'b' })).payload;
    expect(second.sessions.map((session: Rec) => session.session_id)).toEqual(['c']);
    expect(second.next_after).toBeNull();
  });

  test.each([
    [{ limit: 0 }, 'limit_exceeded'],
    [{ limit: 33 }, 'limit_exceeded'],
    [{ after: 'x'.repeat(129) }, 'limit_exceeded'],
    [{ after: '../../' }, 'invalid_session_id'],
    [{ before: 'x' }, 'invalid_payload'],
  ])('refuses %j', async (payload, code) => {
    expect((await client.ask('session.list', payload)).error.code).toBe(code);
  });

  test.each([
    ['one\n\ttwo   three', 'one two three'],
    ['\u001b[31mred\u001b[0m \u202eevil', 'red evil'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['x'.repeat(90), `${'x'.repeat(79)}…`],
    [' \n ', null],
  ])('makes a title of %j', async (text, title) => {
    writeSession('t', [['user', text]]);
    expect((await client.ask('session.list')).payload.sessions[0].title).toBe(title);
  });
});

describe('replay', () => {
  const all = async (id: string, limit: number) => {
    const events: Rec[] = [];
    let pages = 0;
    for (let after: string | null = null; ; pages += 1) {
      const page: Rec = await replay(client, id, { after, limit });
      expect(replayResult.parse(page)).toEqual(page);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(16_384);
      events.push(...page.events);
      after = page.next_cursor;
      if (!page.truncated) {
        expect(page.next_cursor).toBe(page.snapshot_cursor);
        return { events, pages, last: page };
      }
    }
  };

  test('cuts long texts into parts and pages, at character boundaries', async () => {
    const long = `${'x'.repeat(2_047)}é\u0001${'\u0001'.repeat(9_000)}`;
    writeSession('r', [
      ['user', 'Q'],
      ['agent', long],
      ['user', 'R'],
    ]);
    const { events, last } = await all('r', 32);
    const parts = events.filter((event) => event.role === 'assistant');
    expect(parts.map((part) => part.text).join('')).toBe(long);
    expect(parts.map((part) => part.part)).toEqual(parts.map((_, index) => index));
    expect(parts.map((part) => part.last_part)).toEqual(parts.map((_, index) => index === parts.length - 1));
    expect(parts[0].text).toBe('x'.repeat(2_047));
    const single = await all('r', 1);
    expect(single.events).toEqual(events);
    writeSession('r', [
      ['user', 'Q'],
      ['agent', long],
      ['user', 'R'],
      ['user', 'S'],
    ]);
    const more = await replay(client, 'r', { after: last.next_cursor });
    expect(more.events.map((event: Rec) => event.text)).toEqual(['S']);
  });

  test('asks for a resync when the prefix is another one', async () => {
    writeSession('r', [
      ['user', 'one'],
      ['user', 'two'],
    ]);
    const page = await replay(client, 'r');
    writeSession('r', [
      ['user', 'eins'],
      ['user', 'two'],
      ['user', 'three'],
    ]);
    for (const after of [page.next_cursor, 'nonsense', `r1_9_${'0'.repeat(64)}`])
      expect(await replay(client, 'r', { after })).toMatchObject({
        events: [],
        resync_required: true,
        truncated: true,
        next_cursor: expect.stringMatching(/^r1_0_/),
      });
  });

  test('reads the recent window of a large file and says that there was more', async () => {
    const text = 'x'.repeat(60_000);
    writeSession(
      'r',
      Array.from({ length: 60 }, (_, index) => ['user', `${index} ${text}`]),
    );
    const page = await replay(client, 'r', { limit: 1 });
    expect(page.gap).toBe(true);
    const first = Number(page.events[0].text.split(' ')[0]);
    expect(first).toBeGreaterThan(20);
    expect(first).toBeLessThan(36);
  });

  test('passes bad lines over', async () => {
    writeSession('r', [['user', 'one']]);
    writeFileSync(file('r'), 'garbage\n{"id":"zz","time":1,"role":"user","ev":{"t":"hologram"}}\n', {
      flag: 'a',
    });
    expect(await replay(client, 'r')).toMatchObject({ events: [{ text: 'one' }], gap: true });
  });

  test('does not follow links', async () => {
    const session = await createSession(client);
    chmodSync(file(session), 0o600);
    const { symlinkSync } = await import('node:fs');
    symlinkSync(file(session), file('link'));
    expect((await client.ask('session.replay', {}, { session_id: 'link' })).error.code).toBe(
      'session_unavailable',
    );
  });
});
