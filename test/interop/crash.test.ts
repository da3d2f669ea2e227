/** The daemon killed in mid-turn: what another one knows of it (PROTOCOL.md, "Turns"). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { settleOperation } from '../../src/client/lookup.ts';
import { claimSession } from '../../src/client/session-control.ts';
import { failureOf } from '../client/helpers.ts';
import { history } from './history.ts';
import { slowly } from './model.ts';
import { keyOf } from './operation-key.ts';
import { scenes } from './scene.ts';
import { runTurn, Watch } from './watch.ts';

const scene = scenes();

describe('a daemon killed in mid-turn', () => {
  test('its client sees the end; the next daemon has the question and gives control', async () => {
    const opened = await scene((request) =>
      request.lastUser === 'speak' ? slowly(request) : [{ text: `You said: ${request.lastUser}` }],
    );
    const { connection, session } = await opened.control();
    const watch = new Watch(session);
    const start = keyOf(connection, randomUUID(), 'turn.start', session.sessionId);
    await session.startTurn('speak', start.operationId);
    await watch.deltas(3);
    const lost = new Promise((resolve) => connection.onClose(resolve));
    opened.daemon.freeze();
    const open = [failureOf(session.detach()), failureOf(connection.request('session.active', {}))];
    await opened.daemon.kill();
    expect(await lost).toMatchObject({ code: 'endpoint_closed' });
    expect(await Promise.all(open)).toMatchObject([
      { code: 'link_lost', uncertain: true },
      { code: 'link_lost', uncertain: false },
    ]);
    expect(await failureOf(session.detach())).toMatchObject({ code: 'link_lost', uncertain: false });

    await opened.startDaemon();
    const next = await opened.connect();
    expect(next.service.instance_id).not.toBe(start.instanceId);
    expect(await settleOperation(next, start)).toBe('unknown');
    const target = { target_instance_id: start.instanceId, operation_id: start.operationId };
    expect(await next.request('operation.lookup', target)).toMatchObject({ state: 'unknown' });
    const here = { ...target, target_instance_id: next.service.instance_id };
    expect(await next.request('operation.lookup', here)).toMatchObject({ state: 'unknown' });

    const [question, ...rest] = await history(next, session.sessionId);
    expect(question).toMatchObject({ kind: 'message', role: 'user', text: 'speak' });
    expect(rest.some(({ kind }) => kind === 'terminal')).toBe(false);

    const again = await claimSession(next, session.sessionId);
    expect(again.snapshot).toMatchObject({ phase: 'idle', turn: null, terminal: null, live_sequence: 0 });
    expect((await runTurn(again, 'go on')).terminal.status).toBe('completed');
    expect(await history(next, session.sessionId)).toMatchObject([
      { role: 'user', text: 'speak' },
      { role: 'user', text: 'go on' },
      { role: 'assistant', text: 'You said: go on' },
      { kind: 'terminal', status: 'completed' },
    ]);
  });
});
