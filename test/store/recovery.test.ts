/** The link comes and goes: what was shown stays, nothing is sent twice, nothing typed is lost (PROTOCOL.md, "Recovery"). */
import { describe, expect, test, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import type { Snapshot } from '../../src/wire/session.ts';
import { FakeService, replyLost, SESSION } from './fake-service.ts';
import { keptDraft, returnedText, runTurn, type Scene, scene, untilReady, words } from './scene.ts';

const runningTurn = (made: Scene, text: string, sequence = 2): Partial<Snapshot> => ({
  turn: {
    turn_id: 'turn-1',
    operation_id: made.service.operationId,
    assistant_text: text,
    sequence,
    activity_dropped: 0,
    replay_required: false,
  },
});

const said = (text: string, cursor = 'c1') =>
  ({ cursor, kind: 'message', role: 'user', text, part: 0, last_part: true }) as const;

const callsOf = (made: Scene, method: string) =>
  made.service.calls.filter((called) => called === method).length;

const backAgain = (made: Scene) =>
  vi.waitFor(() => expect(made.store.getState().live?.relinks).toBeGreaterThan(0));

describe('the same instance', () => {
  test('a turn goes on with one mark, and settings are not read again', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.conversation.keepDraft('half a thought');
    made.service.send('turn.assistant_delta', { text: 'One' });
    const block = made.store.getState().live?.blocks.at(-1)?.id;
    made.service.snapshot = runningTurn(made, 'One two');
    made.service.drop();
    await backAgain(made);
    await untilReady(made);
    expect(made.store.getState().live).toMatchObject({ relinks: 1, text: 'One two' });
    expect(made.store.getState().notice).toBeNull();
    expect(keptDraft(made)).toBe('half a thought');
    expect(made.store.getState().live?.blocks.at(-1)?.id).toBe(block);
    expect([callsOf(made, 'config.get'), callsOf(made, 'session.claim')]).toEqual([1, 2]);
  });

  test('a claim whose reply is lost is made anew on the next link', async () => {
    const made = scene();
    await untilReady(made);
    made.service.handlers.set('session.claim', () => {
      made.service.handlers.delete('session.claim');
      made.service.drop();
      throw replyLost();
    });
    made.service.save('Old', 'Answer');
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(made.store.getState().session?.control).toBe('mine'));
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Old', 'answer: Answer', 'turn-end']));
    expect(callsOf(made, 'session.claim')).toBe(2);
  });

  test('our own shadow still holds the session for a moment', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    let refusals = 0;
    made.service.snapshot = runningTurn(made, 'One');
    made.service.handlers.set('session.claim', () => {
      refusals += 1;
      if (refusals === 2) made.service.handlers.delete('session.claim');
      throw refusal({ code: 'session_controlled' });
    });
    made.service.drop();
    await backAgain(made);
    expect(made.store.getState().session?.control).toBe('mine');
  });

  test('another window took the session: its history is read, nothing is claimed to have failed', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.send('turn.assistant_delta', { text: 'One' });
    made.service.saved = [said('Hello')];
    made.service.handlers.set('session.claim', () => {
      throw refusal({ code: 'session_controlled' });
    });
    made.service.drop();
    await vi.waitFor(() => expect(made.store.getState().session?.control).toBe('other'));
    await untilReady(made);
    expect(words(made)).toEqual(['user: Hello']);
    expect(callsOf(made, 'session.claim')).toBe(4);
  });

  test('a creation whose reply is lost is looked up, and its session used', async () => {
    const made = scene();
    await untilReady(made);
    made.service.handlers.set('session.create', () => {
      made.service.lookup = {
        state: 'terminal',
        method: 'session.create',
        session_id: null,
        result: { status: 'completed', session_id: SESSION },
      };
      made.service.drop();
      throw replyLost();
    });
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(made.service.prompts).toEqual(['Hello']));
    expect([callsOf(made, 'session.create'), callsOf(made, 'operation.lookup')]).toEqual([1, 1]);
    expect(made.store.getState().session?.id).toBe(SESSION);
  });

  test('a stop whose reply is lost can be asked for again', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.snapshot = runningTurn(made, 'One');
    made.service.handlers.set('turn.cancel', () => {
      made.service.handlers.delete('turn.cancel');
      made.service.drop();
      throw replyLost();
    });
    made.conversation.stop();
    await backAgain(made);
    expect(made.store.getState().live?.stopping).toBe(false);
    expect(made.store.getState().notice?.text).toContain('the stop may not have arrived');
    made.conversation.stop();
    await vi.waitFor(() => expect(callsOf(made, 'turn.cancel')).toBe(2));
  });

  test('a turn that ended meanwhile is one answer, whole', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.send('turn.assistant_delta', { text: 'One tw' });
    made.service.save('Hello', 'One two three');
    made.service.snapshot = {
      terminal: {
        turn_id: 'turn-1',
        operation_id: made.service.operationId,
        session_id: SESSION,
        status: 'completed',
        assistant_text: 'One two three',
        sequence: 9,
        activity_dropped: 0,
        activity_replay_available: false,
        replay_required: true,
        persistence: 'committed',
        error: null,
      },
    };
    made.service.drop();
    await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
    await untilReady(made);
    expect(words(made)).toEqual(['user: Hello', 'answer: One two three', 'turn-end']);
  });

  test('a message that is not saved before its turn ends is shown once', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.snapshot = runningTurn(made, 'One');
    made.service.drop();
    await backAgain(made);
    await untilReady(made);
    expect(words(made)).toEqual(['user: Hello', 'answer: One']);
    made.service.save('Hello', 'One');
    made.service.send('turn.terminal', {
      sequence: 5,
      session_id: SESSION,
      status: 'completed',
      assistant_text: 'One',
      error: null,
    });
    await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
    await vi.waitFor(() => expect(made.store.getState().historyState).toBe('complete'));
    expect(words(made)).toEqual(['user: Hello', 'answer: One', 'turn-end']);
  });

  test('a message whose reply is lost and whose outcome is forgotten is looked for in the history', async () => {
    const made = scene();
    await untilReady(made);
    made.service.handlers.set('turn.start', () => {
      made.service.lookup = { state: 'expired', method: null, session_id: null };
      made.service.saved = [said('Hello')];
      made.service.drop();
      throw replyLost();
    });
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello']));
    await vi.waitFor(() => expect(made.store.getState().outbox).toEqual([]));
    expect(returnedText(made)).not.toContain('Hello');
  });
});

describe('another instance', () => {
  const restart = (made: Scene): FakeService => {
    const dead = made.service;
    made.service = new FakeService('instance-2');
    made.service.saved = [...dead.saved];
    return dead;
  };

  test('has the message in its history: it is shown once and not asked about', async () => {
    const made = scene();
    await untilReady(made);
    made.service.handlers.set('turn.start', () => {
      const dead = restart(made);
      made.service.saved = [said('Hello')];
      dead.drop();
      throw replyLost();
    });
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello']));
    await vi.waitFor(() => expect(made.store.getState().outbox).toEqual([]));
    expect(returnedText(made)).not.toContain('Hello');
    expect(made.service.prompts).toEqual([]);
  });

  test('does not know the message: it is asked about and not sent by itself', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'yes');
    made.service.save('yes', 'done');
    made.service.terminal('done');
    await vi.waitFor(() => expect(words(made)).toEqual(['user: yes', 'answer: done', 'turn-end']));
    made.service.handlers.set('turn.start', () => {
      restart(made).drop();
      throw replyLost();
    });
    made.conversation.send('yes');
    await vi.waitFor(() => expect(returnedText(made)).toBe('yes'));
    expect(made.store.getState().notice?.text).toContain('not known whether this message arrived');
    expect(made.service.prompts).toEqual([]);
    expect(callsOf(made, 'config.get')).toBe(1);
  });
});

test('a history that cannot be read keeps what is shown and is tried again with growing pauses', async () => {
  const made = scene();
  await untilReady(made);
  await runTurn(made, 'Hello');
  let failures = 0;
  made.service.handlers.set('session.replay', () => {
    failures += 1;
    throw refusal({ code: 'internal_error' });
  });
  made.service.terminal('Hi');
  await vi.waitFor(() => expect(made.store.getState().historyState).toBe('failed'));
  for (const count of [2, 3]) {
    made.later();
    await vi.waitFor(() => expect(failures).toBe(count));
    await vi.waitFor(() => expect(made.waits.length).toBe(count));
  }
  expect(words(made)).toEqual(['user: Hello', 'answer: Hi', 'turn-end']);
  expect(made.waits).toEqual([500, 1_000, 2_000]);
  made.service.handlers.delete('session.replay');
  made.service.save('Hello', 'Hi');
  made.later();
  await vi.waitFor(() => expect(made.store.getState().historyState).toBe('complete'));
  expect(words(made)).toEqual(['user: Hello', 'answer: Hi', 'turn-end']);
});

test('a session that cannot be opened does not keep the link from being ready', async () => {
  const made = scene();
  await untilReady(made);
  made.service.handlers.set('session.claim', () => {
    throw refusal({ code: 'session_unavailable' });
  });
  made.conversation.open(SESSION, 'Old');
  await vi.waitFor(() => expect(made.store.getState().notice?.tone).toBe('warn'));
  made.service.drop();
  await vi.waitFor(() => expect(callsOf(made, 'session.claim')).toBe(2));
  await untilReady(made);
});

test('leaving does not wait for a service that says nothing', async () => {
  const made = scene();
  await untilReady(made);
  await runTurn(made, 'Hello');
  made.service.handlers.set('session.detach', () => new Promise(() => undefined));
  await made.conversation.close();
  expect(callsOf(made, 'session.detach')).toBe(1);
});
