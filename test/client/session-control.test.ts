/** Control over a session and the order of its events (PROTOCOL.md, "Claim", "Turns"). */
import { afterEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { asFailure, type WireFailure } from '../../src/client/failure.ts';
import { settleOperation } from '../../src/client/lookup.ts';
import { type ControlEvent, claimSession } from '../../src/client/session-control.ts';
import { responseTo, type ScriptedPeer, ScriptedService } from '../support/scripted-service.ts';
import { type JsonObject, objectOf, readTrace, socketsOf, type TraceLine } from '../support/traces.ts';
import { claimed, failureOf, SESSION, TURN, turnEvent, until } from './helpers.ts';

const services: ScriptedService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) {
    await service.stop();
    expect(service.errors).toEqual([]);
  }
});

async function serviceFor(script: (peer: ScriptedPeer, index: number) => Promise<void>) {
  const service = await ScriptedService.start(script);
  services.push(service);
  return service;
}

/**
 * A claimed session whose service sends these records behind the claim. Where it is idle a turn is started first,
 * and the records come together with the answer, before or behind it.
 */
async function hear(
  claim: JsonObject,
  records: readonly unknown[],
  order: 'answer-first' | 'events-first' = 'answer-first',
): Promise<{ events: ControlEvent[]; reason: Promise<WireFailure>; start: Promise<unknown> }> {
  const service = await serviceFor(async (peer) => {
    await peer.welcome();
    const claimed = responseTo(await peer.expect('session.claim'), claim);
    if (isRunning(claim)) peer.sendTogether([claimed, ...records]);
    else {
      peer.send(claimed);
      const accepted = responseTo(await peer.expect('turn.start'), { turn_id: TURN, status: 'accepted' });
      peer.sendTogether(order === 'answer-first' ? [accepted, ...records] : [...records, accepted]);
    }
    peer.close();
  });
  const connection = await openConnection(service.options);
  const reason = new Promise<WireFailure>((resolve) => {
    connection.onClose(resolve);
  });
  const session = await claimSession(connection, SESSION);
  const events: ControlEvent[] = [];
  session.onEvent((event) => events.push(event));
  const start = isRunning(claim) ? null : session.startTurn('a question', 'op-start');
  return { events, reason, start: start?.catch(asFailure) ?? Promise.resolve(null) };
}

function isRunning(claim: JsonObject): boolean {
  return objectOf(claim.snapshot).phase !== 'idle';
}

const RUNNING = {
  live_sequence: 5,
  phase: 'running',
  turn: {
    turn_id: TURN,
    operation_id: 'op-start',
    assistant_text: 'One ',
    sequence: 4,
    activity_dropped: 0,
    replay_required: false,
  },
};

const shown = (events: readonly ControlEvent[]) =>
  events.map((event) =>
    event.type === 'envelope' ? event.type : `${event.type} ${event.sequence} -${event.dropped}`,
  );

describe('events behind a claim', () => {
  test('arrive typed, with gaps counted', async () => {
    const { events, reason } = await hear(claimed(), [
      turnEvent('turn.started', 1),
      turnEvent('turn.assistant_delta', 2),
      turnEvent('turn.activity', 5),
      turnEvent('turn.terminal', 7),
    ]);
    expect((await reason).code).toBe('endpoint_closed');
    const head = { turnId: TURN, operationId: 'op-start' };
    expect(events).toEqual([
      { ...head, type: 'started', sequence: 0, dropped: 0 },
      { ...head, type: 'delta', sequence: 1, dropped: 0, text: 'word ', piece: null },
      {
        ...head,
        type: 'activity',
        sequence: 4,
        dropped: 2,
        activity: expect.objectContaining({ kind: 'lifecycle' }),
      },
      {
        ...head,
        type: 'terminal',
        sequence: 6,
        dropped: 1,
        terminal: expect.objectContaining({ status: 'completed' }),
      },
    ]);
  });

  test('may come before the answer to the start', async () => {
    const records = [turnEvent('turn.started', 1), turnEvent('turn.assistant_delta', 2)];
    const { events, reason, start } = await hear(claimed(), records, 'events-first');
    expect([await start, (await reason).code]).toEqual([TURN, 'endpoint_closed']);
    expect(shown(events)).toEqual(['started 0 -0', 'delta 1 -0']);
  });

  test('before an answer that names another turn end the connection', async () => {
    const other = turnEvent('turn.started', 1, { turn_id: 'another' });
    const { reason, start } = await hear(claimed(), [other], 'events-first');
    const sentence = 'The service broke the protocol: an acceptance names another turn.';
    expect((await reason).sentence).toBe(sentence);
    expect(asFailure(await start).sentence).toBe(sentence);
  });

  test('continue a running snapshot', async () => {
    const { events } = await hear(claimed(RUNNING), [
      turnEvent('turn.assistant_delta', 6),
      turnEvent('turn.terminal', 9),
    ]);
    await until(() => events.length === 2);
    expect(shown(events)).toEqual(['delta 5 -0', 'terminal 8 -2']);
  });

  test('of an earlier grant or another session are not heard', async () => {
    const { events, reason } = await hear(claimed(), [
      turnEvent('turn.assistant_delta', 90, {}, { grant_generation: 7 }),
      turnEvent('turn.assistant_delta', 91, {}, { session_id: 'another' }),
      turnEvent('turn.started', 1),
    ]);
    expect((await reason).code).toBe('endpoint_closed');
    expect(shown(events)).toEqual(['started 0 -0']);
  });

  const start = turnEvent('turn.started', 1);
  const delta = turnEvent('turn.assistant_delta', 2);
  const terminal = turnEvent('turn.terminal', 3);
  test.each<[name: string, claim: JsonObject, records: JsonObject[], heard: number, detail: string]>([
    ['a repeated place', claimed(), [start, delta, delta], 2, 'a session position does not increase'],
    [
      'a regressing place',
      claimed(),
      [start, turnEvent('turn.assistant_delta', 5), turnEvent('turn.activity', 4)],
      2,
      'a session position does not increase',
    ],
    [
      'a repeated sequence',
      claimed(),
      [start, delta, turnEvent('turn.activity', 3, { sequence: 1 })],
      2,
      'a sequence does not increase',
    ],
    [
      'a regressing sequence',
      claimed(RUNNING),
      [turnEvent('turn.activity', 6, { sequence: 3 })],
      0,
      'a sequence does not increase',
    ],
    [
      'a place before the snapshot',
      claimed(RUNNING),
      [turnEvent('turn.activity', 5)],
      0,
      'a session position does not increase',
    ],
    [
      'an event after the terminal',
      claimed(),
      [start, terminal, turnEvent('turn.activity', 4)],
      2,
      'an event comes outside a turn',
    ],
    [
      'a second terminal',
      claimed(),
      [start, terminal, turnEvent('turn.terminal', 4)],
      2,
      'an event comes outside a turn',
    ],
    ['an event without a turn', claimed(), [delta], 0, 'an event comes outside a turn'],
    [
      'a start inside a turn',
      claimed(),
      [start, turnEvent('turn.started', 2, { sequence: 0 })],
      1,
      'a turn starts inside another',
    ],
    [
      'a start that was not asked for',
      claimed(),
      [turnEvent('turn.started', 1, {}, { operation_id: 'x' })],
      0,
      'a turn starts that was not asked for',
    ],
    [
      'a second start for one request',
      claimed(),
      [start, terminal, turnEvent('turn.started', 4, { sequence: 0 })],
      2,
      'a turn starts that was not asked for',
    ],
    [
      'a start behind a turn that runs at the claim',
      claimed(RUNNING),
      [turnEvent('turn.terminal', 6), turnEvent('turn.started', 7, { sequence: 0 })],
      1,
      'a turn starts that was not asked for',
    ],
    [
      'another turn than was accepted',
      claimed(),
      [turnEvent('turn.started', 1, { turn_id: 'x' })],
      0,
      'an event names another turn',
    ],
    [
      'another turn',
      claimed(),
      [start, turnEvent('turn.assistant_delta', 2, { turn_id: 'x' })],
      1,
      'an event names another turn',
    ],
    [
      'another operation',
      claimed(),
      [start, turnEvent('turn.assistant_delta', 2, {}, { operation_id: 'x' })],
      1,
      'an event names another turn',
    ],
  ])('%s ends the connection', async (_name, claim, records, heard, detail) => {
    const { events, reason } = await hear(claim, records);
    expect((await reason).sentence).toBe(`The service broke the protocol: ${detail}.`);
    expect(events).toHaveLength(heard);
  });

  test('a snapshot of another session ends the connection', async () => {
    const service = await serviceFor(async (peer) => {
      await peer.welcome();
      peer.answer(await peer.expect('session.claim'), claimed({ session_id: 'another' }));
    });
    const connection = await openConnection(service.options);
    const reason = new Promise<WireFailure>((resolve) => {
      connection.onClose(resolve);
    });
    expect((await failureOf(claimSession(connection, SESSION))).code).toBe('link_lost');
    expect((await reason).sentence).toBe(
      'The service broke the protocol: a snapshot belongs to another session.',
    );
  });
});

describe('requests under control', () => {
  test('carry the grant', async () => {
    const service = await serviceFor(async (peer) => {
      await peer.welcome();
      peer.answer(await peer.expect('session.claim'), claimed());
      peer.answer(await peer.expect('turn.start'), { turn_id: TURN, status: 'accepted' });
      peer.answer(await peer.expect('turn.cancel'), {
        turn_id: TURN,
        session_id: SESSION,
        status: 'cancellation_requested',
      });
      const detach = await peer.expect('session.detach');
      peer.sendTogether([responseTo(detach, { status: 'detached' }), turnEvent('turn.assistant_delta', 9)]);
    });
    const connection = await openConnection(service.options);
    const session = await claimSession(connection, SESSION);
    expect(await session.startTurn('hello', 'op-1')).toBe(TURN);
    await session.cancelTurn(TURN);
    await session.detach();
    const sent = service.peers[0]?.received.slice(3) ?? [];
    expect(
      sent.map(({ method, operation_id, payload }) => [method, operation_id === 'op-1', payload]),
    ).toEqual([
      ['turn.start', true, { prompt: 'hello' }],
      ['turn.cancel', false, { turn_id: TURN }],
      ['session.detach', false, {}],
    ]);
    for (const request of sent)
      expect(request).toMatchObject({ session_id: SESSION, control: { grant_id: 'grant-1', generation: 1 } });
    // What comes after the detach belongs to nobody here and is no fault.
    await new Promise(setImmediate);
    connection.close();
  });

  test('an answer about another turn fails the cancellation', async () => {
    const service = await serviceFor(async (peer) => {
      await peer.welcome();
      peer.answer(await peer.expect('session.claim'), claimed(RUNNING));
      const answer = { turn_id: 'another', session_id: SESSION, status: 'cancellation_requested' };
      peer.answer(await peer.expect('turn.cancel'), answer);
    });
    const connection = await openConnection(service.options);
    const session = await claimSession(connection, SESSION);
    const failure = await failureOf(session.cancelTurn(TURN));
    expect([failure.code, failure.uncertain]).toEqual(['link_lost', true]);
  });

  test('a turn that was refused may be asked for again', async () => {
    const service = await serviceFor(async (peer) => {
      await peer.welcome();
      peer.answer(await peer.expect('session.claim'), claimed());
      peer.refuse(await peer.expect('turn.start'), 'configuration_busy');
      const again = await peer.expect('turn.start');
      const { operation_id = null } = again;
      const started = turnEvent('turn.started', 1, {}, { operation_id });
      peer.sendTogether([responseTo(again, { turn_id: TURN, status: 'accepted' }), started]);
      peer.close();
    });
    const connection = await openConnection(service.options);
    const session = await claimSession(connection, SESSION);
    const events: ControlEvent[] = [];
    session.onEvent((event) => events.push(event));
    expect((await failureOf(session.startTurn('a', 'op-1'))).code).toBe('configuration_busy');
    expect(await session.startTurn('a', 'op-2')).toBe(TURN);
    await until(() => events.length === 1);
  });

  test('a refused claim is a failure with the code of the service', async () => {
    const service = await serviceFor(async (peer) => {
      await peer.welcome();
      peer.refuse(await peer.expect('session.claim'), 'session_controlled');
    });
    const connection = await openConnection(service.options);
    const failure = await failureOf(claimSession(connection, SESSION));
    expect([failure.code, failure.sentence]).toEqual([
      'session_controlled',
      'Another window controls this session.',
    ]);
  });
});

describe('recorded conversations', () => {
  const payloadOf = (trace: readonly TraceLine[], key: string, value: string): JsonObject =>
    objectOf(trace.findLast(({ dir, record }) => dir === 's2c' && record[key] === value)?.record.payload);
  const eventsIn = (trace: readonly TraceLine[]) =>
    trace.filter(({ record }) => record.kind === 'event' && record.event !== 'turn.terminal').length;

  test.each(['03-turn-completed-with-tool', '07-output-limit'])('%s is heard whole', async (name) => {
    const trace = readTrace(name);
    const service = await serviceFor((peer) => peer.play(trace));
    const connection = await openConnection(service.options);
    const { session_id: id } = await connection.request('session.create', {});
    const session = await claimSession(connection, id);
    const events: ControlEvent[] = [];
    session.onEvent((event) => events.push(event));
    const turnId = await session.startTurn('a question', 'op-of-the-test');
    await until(() => events.some((event) => event.type === 'terminal'));
    expect(events).toHaveLength(eventsIn(trace) + 1);
    const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
    expect(text).toBe(payloadOf(trace, 'event', 'turn.terminal').assistant_text);
    expect(
      await settleOperation(connection, {
        instanceId: session.snapshot.instance_id,
        operationId: 'op-of-the-test',
        method: 'turn.start',
        sessionId: id,
      }),
    ).toMatchObject({
      state: 'terminal',
      result: { turn_id: turnId },
    });
  });

  test('05: after a lost link the turn goes on from the snapshot', async () => {
    const [first = [], second = []] = socketsOf(readTrace('05-disconnect-and-reclaim'));
    const service = await serviceFor(async (peer, index) => {
      await peer.play(index === 0 ? first : second);
      if (index === 0) peer.closeInside(turnEvent('turn.assistant_delta', 99));
    });
    const before = await openConnection(service.options);
    const lost = new Promise((resolve) => {
      before.onClose(resolve);
    });
    const { session_id: id } = await before.request('session.create', {});
    await (await claimSession(before, id)).startTurn('count', 'op-turn');
    await lost;

    const after = await openConnection(service.options);
    const { instance_id: instanceId } = before.service;
    const key = { instanceId, operationId: 'op-turn', method: 'turn.start', sessionId: id } as const;
    expect(await settleOperation(after, key)).toBe('running');
    await after.request('session.active', {});
    const session = await claimSession(after, id);
    const events: ControlEvent[] = [];
    session.onEvent((event) => events.push(event));
    await until(() => events.at(-1)?.type === 'terminal');
    const later = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
    const terminal = payloadOf(second, 'event', 'turn.terminal');
    expect(`${session.snapshot.turn?.assistant_text}${later}`).toBe(terminal.assistant_text);
  });
});
