/** A link that ends in mid-turn, here and by the daemon's own doing (PROTOCOL.md, "Turns", "Queues and timers"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../src/client/connection.ts';
import type { TurnTerminal } from '../../src/wire/turn.ts';
import { history } from './history.ts';
import { speaking, words } from './model.ts';
import { keyOf } from './operation-key.ts';
import { scenes } from './scene.ts';
import { takeUp } from './take-up.ts';
import { Watch } from './watch.ts';

const scene = scenes();

/** The moment at which a connection ends. */
function closing(connection: Connection): Promise<number> {
  return new Promise((resolve) => connection.onClose(() => resolve(performance.now())));
}

describe('a turn whose client goes away', () => {
  test('is found running, continues from the snapshot and ends with the whole text', async () => {
    const opened = await scene(speaking(60, { burst: 1, delayMs: 20 }));
    const { connection, session } = await opened.control();
    const before = new Watch(session);
    const start = keyOf(connection, randomUUID(), 'turn.start', session.sessionId);
    const turnId = await session.startTurn('speak', start.operationId);
    await before.deltas(10);
    connection.close();

    const again = await takeUp(() => opened.connect(), session.sessionId, start);
    expect(again.settlement).toBe('running');
    const { snapshot, grant } = again.session;
    expect(snapshot).toMatchObject({ phase: 'running', terminal: null });
    expect(snapshot.turn).toMatchObject({ turn_id: turnId, operation_id: start.operationId });
    expect(snapshot.turn?.assistant_text.startsWith(before.text)).toBe(true);
    expect(grant.generation).toBeGreaterThan(session.grant.generation);

    const after = new Watch(again.session);
    const terminal = await after.terminal();
    expect(after.events.filter(({ type }) => type === 'started')).toEqual([]);
    expect(after.events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(10);
    expect(terminal).toMatchObject({ turn_id: turnId, status: 'completed', persistence: 'committed' });
    expect(after.text).toBe(terminal.assistant_text);
    expect(terminal.assistant_text).toBe(words(60).join(''));
  });

  test('that ends meanwhile is in the snapshot, and is not told again', async () => {
    const opened = await scene(speaking(20, { burst: 1, delayMs: 10 }));
    const { connection, session } = await opened.control();
    const start = keyOf(connection, randomUUID(), 'turn.start', session.sessionId);
    const turnId = await session.startTurn('speak', start.operationId);
    connection.close();
    const other = await opened.connect();
    while ((await other.request('session.active', {})).sessions.length > 0);

    const again = await takeUp(() => opened.connect(), session.sessionId, start);
    const outcome = { turn_id: turnId, status: 'completed', persistence: 'committed' };
    expect(again.settlement).toEqual({ state: 'terminal', result: outcome, failure: null });
    expect(again.session.snapshot).toMatchObject({ phase: 'idle', turn: null });
    expect(again.session.snapshot.terminal).toMatchObject({
      ...outcome,
      operation_id: start.operationId,
      assistant_text: words(20).join(''),
    });
  });
});

describe('a model that speaks faster than the daemon writes', () => {
  test('600 deltas at 2 ms: the daemon drops its client, who takes the turn up until it has all', async () => {
    const opened = await scene(speaking(600, { burst: 5, delayMs: 10 }));
    let { connection, session } = await opened.control();
    const start = keyOf(connection, randomUUID(), 'turn.start', session.sessionId);
    const returns: number[] = [];
    let ended = closing(connection);
    let watch = new Watch(session);
    await session.startTurn('speak', start.operationId);

    let terminal: TurnTerminal | null = null;
    while (terminal === null) {
      const next = await Promise.race([watch.terminal(), ended]);
      if (typeof next !== 'number') {
        terminal = next;
        expect(watch.text).toBe(terminal.assistant_text);
        break;
      }
      const heard = watch.text;
      ({ connection, session } = await takeUp(() => opened.connect(), session.sessionId, start));
      returns.push(performance.now() - next);
      ended = closing(connection);
      watch = new Watch(session);
      terminal = session.snapshot.terminal;
      expect((terminal ?? session.snapshot.turn)?.assistant_text.startsWith(heard)).toBe(true);
    }
    console.log(
      `${returns.length} forced disconnects; longest time from the close to the seeded snapshot: ${Math.max(...returns).toFixed(1)} ms`,
    );
    expect(returns.length).toBeGreaterThan(0);
    expect(terminal).toMatchObject({ status: 'completed', persistence: 'committed', error: null });
    expect(terminal.assistant_text).toBe(words(600).join(''));

    expect(await history(connection, session.sessionId)).toMatchObject([
      { role: 'user', text: 'speak' },
      { role: 'assistant', text: words(600).join('') },
      { kind: 'terminal', status: 'completed' },
    ]);
    expect(opened.model.requests).toHaveLength(1);
  });
});
