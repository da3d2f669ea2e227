/** Durable history: many pages, and pages that no longer fit (PROTOCOL.md, "Replay"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { collectMessages } from '../../src/client/replay.ts';
import { claimSession } from '../../src/client/session-control.ts';
import { failureOf } from '../client/helpers.ts';
import { history, replayed } from './history.ts';
import { slowly, THOUGHT, whole } from './model.ts';
import { scenes } from './scene.ts';
import { runTurn, Watch } from './watch.ts';

const scene = scenes();

describe('a long session', () => {
  /** Letters of two, three and four bytes, so that parts must be cut between them; whole pieces for the model. */
  const answer = (turn: number) => `No. ${turn}${'ä–🦀!'.repeat(700)}`;

  test('comes back exactly, over several pages and in parts', async () => {
    const opened = await scene(({ messages }) => [
      { text: answer(messages.filter(({ role }) => role === 'user').length) },
    ]);
    const { connection, session } = await opened.control();
    const asked = [1, 2, 3, 4, 5].map((turn) => `question ${turn} ${'?'.repeat(3_000)}`);
    for (const prompt of asked) expect((await runTurn(session, prompt)).terminal.status).toBe('completed');

    const pages = await replayed(connection, session.sessionId);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.map(({ truncated }) => truncated)).toEqual(
      pages.map((_, index) => index < pages.length - 1),
    );
    for (const page of pages) {
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(16_384);
      expect(page).toMatchObject({ gap: false, resync_required: false });
    }
    const texts = pages
      .flatMap(({ events }) => events)
      .flatMap((part) => ('text' in part ? [part.text] : []));
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(2_048);
    const items = collectMessages(pages.flatMap(({ events }) => events));
    expect(items).toMatchObject(
      asked.flatMap((prompt, index) => [
        { kind: 'message', role: 'user', text: prompt },
        { kind: 'message', role: 'assistant', text: answer(index + 1) },
        { kind: 'terminal', status: 'completed' },
      ]),
    );
    expect(pages.at(-1)?.next_cursor).toBe(pages.at(-1)?.snapshot_cursor);
  });

  test('goes on behind a cursor that was kept: only what is new comes', async () => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    await runTurn(session, 'first');
    const kept = (await history(connection, session.sessionId)).at(-1)?.cursor ?? null;
    expect((await replayed(connection, session.sessionId, kept)).flatMap(({ events }) => events)).toEqual([]);
    await runTurn(session, 'second');
    const pages = await replayed(connection, session.sessionId, kept);
    expect(collectMessages(pages.flatMap(({ events }) => events))).toMatchObject([
      { role: 'user', text: 'second' },
      { role: 'assistant', text: 'You said: second' },
      { kind: 'terminal' },
    ]);
  });

  test('is read while another client controls it', async () => {
    const opened = await scene();
    const { session } = await opened.control();
    await runTurn(session, 'first');
    const reader = await opened.connect();
    expect(await history(reader, session.sessionId)).toHaveLength(3);
  });
});

describe('a cursor that fits no longer', () => {
  const long = 'long '.repeat(1_000);

  test('of another session asks for a new beginning, and the client makes it', async () => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    await runTurn(session, 'here');
    const other = await opened.control();
    await runTurn(other.session, 'elsewhere');
    const foreign = (await history(other.connection, other.session.sessionId)).at(-1)?.cursor ?? null;
    const [first, ...rest] = await replayed(connection, session.sessionId, foreign);
    expect(first).toMatchObject({ events: [], resync_required: true });
    expect(collectMessages(rest.flatMap(({ events }) => events))).toMatchObject([
      { role: 'user', text: 'here' },
      { role: 'assistant', text: 'You said: here' },
      { kind: 'terminal' },
    ]);
  });

  test('behind the question of a turn that died with its daemon is void when the next turn begins', async () => {
    // What is said is stored by the way after each 4 KiB: an answer had begun, and was never completed.
    const opened = await scene((request) =>
      request.lastUser === 'speak' ? [THOUGHT, whole(long), ...slowly(request)] : [{ text: 'Here.' }],
    );
    const { connection, session } = await opened.control();
    const watch = new Watch(session);
    await session.startTurn('speak', randomUUID());
    await watch.deltas(3);
    const running = await history(connection, session.sessionId);
    expect(running).toMatchObject([{ role: 'user', text: 'speak' }]);
    await opened.daemon.kill();
    await opened.startDaemon();
    const next = await opened.connect();
    expect(await history(next, session.sessionId)).toEqual(running);

    await runTurn(await claimSession(next, session.sessionId), 'still there?');
    const [first, ...rest] = await replayed(next, session.sessionId, running.at(-1)?.cursor);
    expect(first).toMatchObject({ events: [], resync_required: true });
    expect(collectMessages(rest.flatMap(({ events }) => events))).toMatchObject([
      { role: 'user', text: 'still there?' },
      { role: 'assistant', text: 'Here.' },
      { kind: 'terminal', status: 'completed' },
    ]);
  });

  test.each(['', 'nonsense', `r1_1_${'0'.repeat(64)}`])('%j asks for a new beginning', async (cursor) => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    const pages = await replayed(connection, session.sessionId, cursor);
    expect(pages.map(({ resync_required }) => resync_required)).toEqual([true, false]);
  });

  test('and pages beyond the bounds are refused', async () => {
    const opened = await scene();
    const { connection, session } = await opened.control();
    const { sessionId } = session;
    for (const payload of [{ limit: 0 }, { limit: 33 }, { after: 'x'.repeat(129) }])
      expect((await failureOf(connection.request('session.replay', payload, { sessionId }))).code).toBe(
        'limit_exceeded',
      );
  });
});
