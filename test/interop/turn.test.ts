/** Whole turns: with a tool, stopped, too long, refused by the model (PROTOCOL.md, "Turns", "Activity"). */
import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { settleOperation } from '../../src/client/lookup.ts';
import { failureOf, until } from '../client/helpers.ts';
import type { ModelScript } from '../support/model-server.ts';
import { history } from './history.ts';
import { slowly, speaking, THOUGHT, whole, words } from './model.ts';
import { keyOf } from './operation-key.ts';
import { scenes } from './scene.ts';
import { runTurn, Watch } from './watch.ts';

const scene = scenes();

const BEFORE = 'I will read the note first.';
const AFTER = 'It says: forty-two.';

const reads: ModelScript = ({ toolResults }) =>
  toolResults.length === 0
    ? [{ text: BEFORE }, { toolCall: 'read', args: { path: 'note.txt' } }]
    : [{ text: AFTER }];

describe('a turn with a tool', () => {
  test('comes in order, decodes, and its deltas are its text', async () => {
    const opened = await scene(reads);
    opened.write('note.txt', 'the answer is forty-two\n');
    const { connection, session } = await opened.control();
    const { watch, terminal, turnId, operationId } = await runTurn(session, 'What does the note say?');

    const { events } = watch;
    expect([events.at(0)?.type, events.at(-1)?.type]).toEqual(['started', 'terminal']);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
    expect(new Set(events.map((event) => event.turnId))).toEqual(new Set([turnId]));
    expect(new Set(events.map((event) => event.operationId))).toEqual(new Set([operationId]));
    expect(watch.text).toBe(`${BEFORE}\n\n${AFTER}`);
    expect(terminal).toEqual({
      turn_id: turnId,
      session_id: session.sessionId,
      status: 'completed',
      assistant_text: watch.text,
      sequence: events.length - 1,
      activity_dropped: 0,
      activity_replay_available: false,
      replay_required: true,
      persistence: 'committed',
      error: null,
    });

    // The tool has read the file, and the model was told what is in it.
    expect(JSON.stringify(opened.model.requests.at(-1)?.body)).toContain('the answer is forty-two');
    const start = keyOf(connection, operationId, 'turn.start', session.sessionId);
    expect(await settleOperation(connection, start)).toEqual({
      state: 'terminal',
      result: { turn_id: turnId, status: 'completed', persistence: 'committed' },
      failure: null,
    });
    expect(await history(connection, session.sessionId)).toMatchObject([
      { kind: 'message', role: 'user', text: 'What does the note say?' },
      { kind: 'message', role: 'assistant', text: BEFORE },
      { kind: 'message', role: 'assistant', text: AFTER },
      { kind: 'terminal', status: 'completed' },
    ]);
  });

  test('tells of the tool as an activity: begun, run, done', async () => {
    const opened = await scene(reads);
    opened.write('note.txt', 'the answer is forty-two\n');
    const { session } = await opened.control();
    const { watch } = await runTurn(session, 'What does the note say?');
    const activities = watch.events.flatMap((event) => (event.type === 'activity' ? [event.activity] : []));
    expect(new Set(activities.map(({ kind }) => kind))).toEqual(
      new Set(['context', 'usage', 'lifecycle', 'tool']),
    );
    const ofTool = activities.filter(({ kind }) => kind === 'lifecycle' || kind === 'tool');
    const tool = {
      kind: 'tool',
      tool_id: `tool-${createHash('sha256').update('read').digest('hex')}`,
      tool_name: 'read',
      server_id: null,
      transport: 'local',
    };
    expect(ofTool).toMatchObject([
      { kind: 'lifecycle', category: 'tool', status: 'running' },
      { ...tool, status: 'running' },
      { ...tool, status: 'completed' },
      { kind: 'lifecycle', category: 'activity', status: 'completed' },
    ]);
    expect(new Set(ofTool.map(({ activity_id }) => activity_id)).size).toBe(1);
  });
});

describe('a turn that is stopped', () => {
  test('ends cancelled with what was said so far; a later stop is too late', async () => {
    const opened = await scene(slowly);
    const { connection, session } = await opened.control();
    const watch = new Watch(session);
    const turnId = await session.startTurn('speak', randomUUID());
    await watch.deltas(5);
    expect((await failureOf(session.startTurn('and again', randomUUID()))).code).toBe('session_busy');
    await session.cancelTurn(turnId);
    const terminal = await watch.terminal();
    expect(terminal).toMatchObject({ status: 'cancelled', persistence: 'committed', error: null });
    expect(terminal.assistant_text).toBe(watch.text);
    expect(terminal.assistant_text).toMatch(/^w000 w001 w002 w003 w004 /);
    expect((await failureOf(session.cancelTurn(turnId))).code).toBe('unknown_turn');
    await until(() => opened.model.open === 0);
    expect(await history(connection, session.sessionId)).toMatchObject([
      { role: 'user', text: 'speak' },
      { role: 'assistant', text: terminal.assistant_text },
      { kind: 'terminal', status: 'cancelled' },
    ]);
  });

  test('can be another one than we think: that is unknown', async () => {
    const opened = await scene(slowly);
    const { session } = await opened.control();
    const watch = new Watch(session);
    const turnId = await session.startTurn('speak', randomUUID());
    expect((await failureOf(session.cancelTurn(randomUUID()))).code).toBe('unknown_turn');
    await session.cancelTurn(turnId);
    expect((await watch.terminal()).status).toBe('cancelled');
  });
});

describe('a turn that fails', () => {
  /** What is withheld is told to the model, who is asked once to go on. */
  const tooLong: readonly [name: string, answer: readonly string[], text: string][] = [
    ['one piece over 16 KiB', ['x'.repeat(17_000)], 'done'],
    [
      'pieces of more than 16 KiB',
      Array.from({ length: 5 }, () => 'x'.repeat(4_000)),
      `${'x'.repeat(16_000)}done`,
    ],
    ['16 KiB that are more when encoded', ['"'.repeat(10_000)], 'done'],
  ];
  test.each(tooLong)(
    'by %s: output_limit_exceeded, without the piece that passes it',
    async (_name, answer, text) => {
      const opened = await scene(({ lastUser }) =>
        lastUser === 'speak' ? [THOUGHT, ...answer.map(whole)] : [{ text: 'done' }],
      );
      const { connection, session } = await opened.control();
      const { watch, terminal, turnId, operationId } = await runTurn(session, 'speak');
      expect(terminal).toMatchObject({
        status: 'failed',
        assistant_text: text,
        persistence: 'committed',
        error: { code: 'output_limit_exceeded' },
      });
      expect(watch.text).toBe(text);
      const start = keyOf(connection, operationId, 'turn.start', session.sessionId);
      expect(await settleOperation(connection, start)).toMatchObject({
        state: 'terminal',
        result: { turn_id: turnId, status: 'failed', persistence: 'committed' },
        failure: { code: 'output_limit_exceeded' },
      });
    },
  );

  test('by a history that cannot be written: persistence_failed, and the text counts nevertheless', async () => {
    const opened = await scene(speaking(40, { burst: 1, delayMs: 20 }));
    const { connection, session } = await opened.control();
    const watch = new Watch(session);
    const start = keyOf(connection, randomUUID(), 'turn.start', session.sessionId);
    const turnId = await session.startTurn('speak', start.operationId);
    await watch.deltas(3);
    opened.home.loseSessions();
    const terminal = await watch.terminal();
    expect(terminal).toMatchObject({
      status: 'failed',
      assistant_text: words(40).join(''),
      persistence: 'failed',
      error: { code: 'persistence_failed' },
    });
    expect(watch.text).toBe(terminal.assistant_text);
    expect(await settleOperation(connection, start)).toMatchObject({
      state: 'terminal',
      result: { turn_id: turnId, status: 'failed', persistence: 'failed' },
      failure: { code: 'persistence_failed' },
    });
    const replay = history(connection, session.sessionId);
    expect((await failureOf(replay)).code).toBe('session_unavailable');
  });

  test('by a model that refuses: internal_error, and the next turn may follow at once', async () => {
    const opened = await scene(({ lastUser }) =>
      lastUser === 'fail' ? [{ error: 401 }] : [{ text: 'Here.' }],
    );
    const { session } = await opened.control();
    const { terminal } = await runTurn(session, 'fail');
    expect(terminal).toMatchObject({
      status: 'failed',
      assistant_text: '',
      error: { code: 'internal_error' },
    });
    const next = await runTurn(session, 'still there?');
    expect(next.terminal).toMatchObject({ status: 'completed', assistant_text: 'Here.' });
  });
});

describe('a prompt', () => {
  test('of 16384 bytes is taken whole; one byte more is not sent', async () => {
    const opened = await scene(() => [{ text: 'Heard.' }]);
    const { connection, session } = await opened.control();
    const longest = 'é'.repeat(8_192);
    expect((await failureOf(session.startTurn(`${longest}x`, randomUUID()))).code).toBe('limit_exceeded');
    expect((await runTurn(session, longest)).terminal.status).toBe('completed');
    expect(await history(connection, session.sessionId)).toMatchObject([
      { role: 'user', text: longest },
      { role: 'assistant', text: 'Heard.' },
      { kind: 'terminal' },
    ]);
  });

  test('that is blank or a side question is refused before its operation counts', async () => {
    const { connection, session } = await (await scene()).control();
    const start = keyOf(connection, randomUUID(), 'turn.start', session.sessionId);
    expect((await failureOf(session.startTurn(' \n', start.operationId))).code).toBe('invalid_payload');
    expect((await failureOf(session.startTurn('/side why', start.operationId))).code).toBe(
      'unsupported_operation',
    );
    expect(await settleOperation(connection, start)).toBe('unknown');
    await expect(session.startTurn('/sidecar', start.operationId)).resolves.toEqual(expect.any(String));
  });
});
