/** Reading history, lists and outcomes (PROTOCOL.md, "Replay", "Sessions", "Operations and lookup"). */
import { afterEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/client/connection.ts';
import type { WireFailure } from '../../src/client/failure.ts';
import { archivedPages, sessionPages } from '../../src/client/list.ts';
import { settleOperation } from '../../src/client/lookup.ts';
import { collectMessages, replayPages } from '../../src/client/replay.ts';
import type { ReplayEvent } from '../../src/wire/session.ts';
import { SCRIPTED_IDS, ScriptedService } from '../support/scripted-service.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';
import { failureOf, LIST, SESSION } from './helpers.ts';

const services: ScriptedService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) {
    await service.stop();
    expect(service.errors).toEqual([]);
  }
});

/** A service that answers one method: a string is a refusal, an object a result. `asked` are the payloads. */
async function answering(
  method: string,
  answers: readonly (string | JsonObject)[],
): Promise<{ connection: Connection; asked: JsonObject[] }> {
  const asked: JsonObject[] = [];
  const service = await ScriptedService.start(async (peer) => {
    await peer.welcome();
    for (const answer of answers) {
      const request = await peer.expect(method);
      asked.push(objectOf(request.payload));
      if (typeof answer === 'string') peer.refuse(request, answer);
      else peer.answer(request, answer);
    }
  });
  services.push(service);
  return { connection: await openConnection(service.options), asked };
}

async function allOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of pages) all.push(one);
  return all;
}

const page = (next: string, changes: JsonObject = {}): JsonObject => ({
  events: [],
  next_cursor: next,
  snapshot_cursor: 'end',
  truncated: false,
  gap: false,
  resync_required: false,
  ...changes,
});

describe('replayPages', () => {
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  afterEach(() => {
    pauses.length = 0;
  });
  async function read(connection: Connection, after: string | null): Promise<string[]> {
    const cursors: string[] = [];
    for await (const { next_cursor, resync_required } of replayPages(connection, SESSION, after, pause))
      cursors.push(resync_required ? `${next_cursor}!` : next_cursor);
    return cursors;
  }

  test('follows truncated pages to the end', async () => {
    const { connection, asked } = await answering('session.replay', [
      page('a', { truncated: true }),
      page('b', { truncated: true }),
      page('end'),
    ]);
    expect(await read(connection, 'start')).toEqual(['a', 'b', 'end']);
    expect(asked).toEqual([{ after: 'start' }, { after: 'a' }, { after: 'b' }]);
  });

  test('waits with growing pauses while somebody writes', async () => {
    const { connection, asked } = await answering('session.replay', [
      'session_busy',
      'session_busy',
      'session_busy',
      page('end'),
    ]);
    expect(await read(connection, null)).toEqual(['end']);
    expect(asked).toEqual(Array(4).fill({ after: null }));
    expect(pauses.map((ms, index) => ms > 50 * 2 ** (index - 1) - 1 && ms <= 50 * 2 ** index)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('gives up on a session that stays busy', async () => {
    const { connection } = await answering('session.replay', Array(7).fill('session_busy'));
    expect((await failureOf(read(connection, null))).code).toBe('session_busy');
    expect(pauses).toHaveLength(6);
  });

  test('any other refusal is final', async () => {
    const { connection } = await answering('session.replay', ['session_unavailable']);
    expect((await failureOf(read(connection, null))).code).toBe('session_unavailable');
    expect(pauses).toEqual([]);
  });

  test('a stale cursor shows a page that voids the others, then starts again', async () => {
    const { connection, asked } = await answering('session.replay', [
      page('a', { truncated: true }),
      page('start', { resync_required: true }),
      page('b', { truncated: true }),
      page('end'),
    ]);
    expect(await read(connection, 'old')).toEqual(['a', 'start!', 'b', 'end']);
    expect(asked.map(({ after }) => after)).toEqual(['old', 'a', null, 'b']);
  });

  test.each<[name: string, answers: JsonObject[]]>([
    ['stands still', [page('a', { truncated: true }), page('a', { truncated: true })]],
    ['always asks to start again', Array(6).fill(page('a', { resync_required: true }))],
    [
      'voids and continues at once',
      [
        page('a', {
          resync_required: true,
          events: [{ cursor: 'c', kind: 'terminal', status: 'completed' }],
        }),
      ],
    ],
  ])('a replay that %s breaks the protocol', async (_name, answers) => {
    const { connection } = await answering('session.replay', answers);
    const failure = await failureOf(read(connection, null));
    expect(failure.sentence).toBe('The service broke the protocol: a replay does not move on.');
    expect((await failureOf(connection.request('session.list', {}))).code).toBe('link_lost');
  });
});

describe('collectMessages', () => {
  const part = (cursor: string, text: string, index: number, last: boolean): ReplayEvent => ({
    cursor,
    kind: 'message',
    role: 'assistant',
    text,
    part: index,
    last_part: last,
  });
  test('joins parts and leaves an unfinished item for the next reading', () => {
    const events: ReplayEvent[] = [
      { cursor: 's', kind: 'summary', text: 'So ', part: 0, last_part: false },
      { cursor: 't', kind: 'summary', text: 'far', part: 1, last_part: true },
      { cursor: 'u', kind: 'message', role: 'user', text: 'Hi', part: 0, last_part: true },
      part('a', 'One ', 0, false),
      part('b', 'two ', 1, false),
      part('c', 'three', 2, true),
      { cursor: 'd', kind: 'terminal', status: 'completed' },
      part('e', 'not all', 0, false),
    ];
    expect(collectMessages(events)).toEqual([
      { cursor: 't', kind: 'summary', text: 'So far' },
      { cursor: 'u', kind: 'message', role: 'user', text: 'Hi' },
      { cursor: 'c', kind: 'message', role: 'assistant', text: 'One two three' },
      { cursor: 'd', kind: 'terminal', status: 'completed' },
    ]);
  });

  test('an item that never ends does not leak into the next', () => {
    const events = [part('a', 'lost', 0, false), part('b', 'kept', 0, true)];
    expect(collectMessages(events)).toEqual([
      { cursor: 'b', kind: 'message', role: 'assistant', text: 'kept' },
    ]);
  });
});

describe('sessionPages', () => {
  test('follows the last examined ID', async () => {
    const { connection, asked } = await answering('session.list', [
      { ...LIST, next_after: 'a', truncated: true },
      { ...LIST, next_after: 'b', incomplete: true },
    ]);
    const pages = await allOf(sessionPages(connection));
    expect(pages.map(({ incomplete }) => incomplete)).toEqual([false, true]);
    expect(asked).toEqual([{ after: null }, { after: 'a' }]);
  });

  test('the archive is asked for by name, on every page', async () => {
    const { connection, asked } = await answering('session.list', [
      { ...LIST, next_after: 'a', truncated: true },
      LIST,
    ]);
    await allOf(archivedPages(connection));
    expect(asked).toEqual([
      { archived: true, after: null },
      { archived: true, after: 'a' },
    ]);
  });

  test('a list that stands still breaks the protocol', async () => {
    const { connection } = await answering('session.list', [{ ...LIST, truncated: true }]);
    expect((await failureOf(allOf(sessionPages(connection)))).code).toBe('protocol_violation');
  });
});

describe('settleOperation', () => {
  const key = {
    instanceId: SCRIPTED_IDS.instance_id,
    operationId: 'op',
    method: 'turn.start',
    sessionId: SESSION,
  } as const;
  const outcome = (state: string, changes: JsonObject = {}): JsonObject => ({
    target_instance_id: key.instanceId,
    operation_id: 'op',
    state,
    method: state === 'unknown' || state === 'expired' ? null : 'turn.start',
    session_id: state === 'unknown' || state === 'expired' ? null : SESSION,
    result: null,
    error: null,
    ...changes,
  });
  const busy = { code: 'session_busy', message: '' };
  const limit = { code: 'output_limit_exceeded', message: '' };
  const COMPLETED = { turn_id: 't', status: 'completed', persistence: 'committed' };
  test.each<[name: string, answers: JsonObject[], expected: unknown, pauses: number]>([
    ['unknown twice', [outcome('unknown'), outcome('unknown')], 'unknown', 1],
    ['unknown, then running', [outcome('unknown'), outcome('in_progress')], 'running', 1],
    ['accepted', [outcome('accepted', { result: { turn_id: 't' } })], 'running', 0],
    ['expired', [outcome('expired')], { state: 'expired' }, 0],
    [
      'rejected',
      [outcome('rejected', { error: busy })],
      { state: 'rejected', failure: expect.objectContaining({ code: 'session_busy' }) },
      0,
    ],
    [
      'done',
      [outcome('terminal', { result: COMPLETED })],
      { state: 'terminal', result: COMPLETED, failure: null },
      0,
    ],
    [
      'failed',
      [outcome('terminal', { result: { ...COMPLETED, status: 'failed' }, error: limit })],
      {
        state: 'terminal',
        result: { ...COMPLETED, status: 'failed' },
        failure: expect.objectContaining({ code: 'output_limit_exceeded' }),
      },
      0,
    ],
  ])('%s', async (_name, answers, expected, expectedPauses) => {
    const { connection } = await answering('operation.lookup', answers);
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    expect(await settleOperation(connection, key, pause)).toEqual(expected);
    expect(pauses).toBe(expectedPauses);
  });

  test('another instance is not asked', async () => {
    const { connection, asked } = await answering('operation.lookup', []);
    expect(await settleOperation(connection, { ...key, instanceId: 'earlier' })).toBe('unknown');
    expect(asked).toEqual([]);
  });

  const accepted = (changes: JsonObject) => outcome('accepted', { result: { turn_id: 't' }, ...changes });
  test.each<[name: string, answer: JsonObject, detail: string]>([
    ['another operation', accepted({ operation_id: 'other' }), 'a lookup names another operation'],
    ['another instance', accepted({ target_instance_id: 'other' }), 'a lookup names another operation'],
    ['another session', accepted({ session_id: 'other' }), 'a lookup names another operation'],
    [
      'another method',
      outcome('terminal', { method: 'turn.cancel', result: { status: 'completed' } }),
      'a lookup names another operation',
    ],
    ['a rejection without a reason', outcome('rejected'), 'a result has the wrong shape'],
    ['a turn without its name', accepted({ result: {} }), 'a result has the wrong shape'],
  ])('an answer about %s breaks the protocol', async (_name, answer, detail) => {
    const { connection } = await answering('operation.lookup', [answer]);
    const reason = new Promise<WireFailure>((resolve) => {
      connection.onClose(resolve);
    });
    await failureOf(settleOperation(connection, key));
    expect((await reason).sentence).toBe(`The service broke the protocol: ${detail}.`);
  });
});
