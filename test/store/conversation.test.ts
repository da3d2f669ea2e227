import { describe, expect, it, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import { FakeService, replyLost, SESSION } from './fake-service.ts';
import { keptDraft, returnedText, runTurn, scene, untilReady, words } from './scene.ts';

describe('Conversation', () => {
  it('creates and claims nothing before there is something to say', async () => {
    const made = scene();
    await untilReady(made);
    expect(made.service.calls).toEqual(['config.get', 'status']);
  });

  it('streams a turn, settles it, and finds the same words saved', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.send('turn.assistant_delta', { text: 'Hi ' });
    made.service.send('turn.assistant_delta', { text: 'there' });
    expect(words(made)).toEqual(['user: Hello', 'answer: Hi there']);
    made.service.save('Hello', 'Hi there');
    made.service.terminal('Hi there');
    await vi.waitFor(() => expect(made.service.calls.at(-1)).toBe('session.replay'));
    await vi.waitFor(() => expect(made.store.getState().historyState).toBe('complete'));
    expect(words(made)).toEqual(['user: Hello', 'answer: Hi there', 'turn-end']);
    expect(made.store.getState()).toMatchObject({
      live: null,
      outbox: [],
      session: { id: SESSION, title: 'Hello', control: 'mine' },
    });
  });

  it('shows what was saved when it differs from what was shown', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.save('Hello', 'Something else');
    made.service.terminal('Hi there');
    await vi.waitFor(() =>
      expect(words(made)).toEqual(['user: Hello', 'answer: Something else', 'turn-end']),
    );
  });

  it('keeps an exchange that was not saved on the screen, and says so', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'Hello');
    made.service.saved.push({ cursor: 'c1', kind: 'terminal', status: 'failed' });
    made.service.terminal('', 'failed');
    await vi.waitFor(() =>
      expect(made.store.getState().notice?.text).toBe('The service did not save this exchange.'),
    );
    expect(words(made)).toEqual(['user: Hello', 'turn-end']);
  });

  it('queues while a turn runs and sends afterwards, once and in order', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'one');
    made.conversation.send('two');
    made.conversation.send('three');
    expect(made.store.getState().outbox.map((item) => item.text)).toEqual(['two', 'three']);
    made.service.terminal('done');
    await vi.waitFor(() => expect(made.service.prompts).toEqual(['one', 'two']));
    made.service.started();
    made.service.terminal('done');
    await vi.waitFor(() => expect(made.service.prompts).toEqual(['one', 'two', 'three']));
  });

  it('stops once and gives queued messages back to the draft', async () => {
    const made = scene();
    await untilReady(made);
    await runTurn(made, 'one');
    made.conversation.send('two');
    made.conversation.send('three');
    made.conversation.stop();
    made.conversation.stop();
    await vi.waitFor(() =>
      expect(made.service.calls.filter((method) => method === 'turn.cancel').length).toBe(1),
    );
    expect(made.store.getState()).toMatchObject({
      outbox: [],
      returned: [{ text: 'two\nthree' }],
      live: { stopping: true },
    });
  });

  it('gives a refused message back with the reason', async () => {
    const made = scene();
    await untilReady(made);
    made.service.handlers.set('turn.start', () => {
      throw refusal({ code: 'configuration_busy' });
    });
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(returnedText(made)).toBe('Hello'));
    expect(made.store.getState().notice?.text).toContain('busy with settings');
    expect(made.keeper.kept.get(SESSION)?.outbox).toEqual([]);
  });

  it('is not confused when the started event comes before the reply', async () => {
    const made = scene();
    await untilReady(made);
    made.service.handlers.set('turn.start', () => {
      made.service.started();
      made.service.send('turn.assistant_delta', { text: 'early' });
      return { turn_id: 'turn-1', status: 'accepted' };
    });
    made.conversation.send('Hello');
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello', 'answer: early']));
  });

  describe('when the link is lost', () => {
    it('in mid-turn: goes on from the snapshot without a word twice', async () => {
      const made = scene();
      await untilReady(made);
      await runTurn(made, 'Hello');
      made.service.send('turn.assistant_delta', { text: 'One ' });
      made.service.snapshot = {
        turn: {
          turn_id: 'turn-1',
          operation_id: made.service.operationId,
          assistant_text: 'One two ',
          sequence: 2,
          activity_dropped: 0,
          replay_required: false,
        },
      };
      made.service.drop();
      await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello', 'answer: One two ']));
      made.service.send('turn.assistant_delta', { text: 'three', sequence: 3 });
      expect(words(made)).toEqual(['user: Hello', 'answer: One two three']);
    });

    it('before the reply: a message that did not arrive comes back, and is not sent again by itself', async () => {
      const made = scene();
      await untilReady(made);
      made.service.handlers.set('turn.start', () => {
        made.service.drop();
        throw replyLost();
      });
      made.conversation.send('Hello');
      await vi.waitFor(() => expect(returnedText(made)).toBe('Hello'));
      await untilReady(made);
      expect(made.service.calls.filter((method) => method === 'turn.start').length).toBe(1);
      expect(made.store.getState().notice?.text).toBe('The message did not arrive. Enter sends it again.');
    });

    it('before the reply: a message that did arrive is shown once, with its turn', async () => {
      const made = scene();
      await untilReady(made);
      made.service.handlers.set('turn.start', () => {
        made.service.lookup = { state: 'accepted', result: { turn_id: 'turn-1' } };
        made.service.saved.push({
          cursor: 'c1',
          kind: 'message',
          role: 'user',
          text: 'Hello',
          part: 0,
          last_part: true,
        });
        made.service.snapshot = {
          turn: {
            turn_id: 'turn-1',
            operation_id: made.service.operationId,
            assistant_text: 'Hi',
            sequence: 1,
            activity_dropped: 0,
            replay_required: false,
          },
        };
        made.service.drop();
        throw replyLost();
      });
      made.conversation.send('Hello');
      await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello', 'answer: Hi']));
      expect(made.store.getState().outbox).toEqual([]);
    });

    it('to a service that died in mid-turn: keeps what was shown and says so', async () => {
      const made = scene();
      await untilReady(made);
      await runTurn(made, 'Hello');
      made.service.send('turn.assistant_delta', { text: 'One two three' });
      const dead = made.service;
      made.service = new FakeService('instance-2');
      made.service.saved = [
        { cursor: 'c1', kind: 'message', role: 'user', text: 'Hello', part: 0, last_part: true },
        { cursor: 'c2', kind: 'message', role: 'assistant', text: 'One two', part: 0, last_part: true },
      ];
      dead.drop();
      await untilReady(made);
      await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
      expect(words(made)).toEqual(['user: Hello', 'answer: One two three', 'turn-end']);
      expect(made.store.getState().history.at(-1)).toMatchObject({
        status: 'failed',
        reason: 'The service stopped in mid-turn.',
      });
      expect(made.store.getState().notice?.text).toBe('The end of this answer was not saved.');
    });
  });

  it('reads a session that another window controls, and sends nothing', async () => {
    const made = scene();
    await untilReady(made);
    made.service.save('Old', 'Answer');
    made.service.handlers.set('session.claim', () => {
      throw refusal({ code: 'session_controlled' });
    });
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Old', 'answer: Answer', 'turn-end']));
    expect(made.store.getState().session?.control).toBe('other');
    made.conversation.send('Mine');
    await vi.waitFor(() => expect(returnedText(made)).toBe('Mine'));
    expect(made.service.prompts).toEqual([]);
  });

  it('reads along while another window controls the session, and says when it is free', async () => {
    const made = scene();
    await untilReady(made);
    let controlled = true;
    made.service.handlers.set('session.claim', () => {
      throw refusal({ code: 'session_controlled' });
    });
    made.service.handlers.set('session.active', () => ({
      sessions: [{ session_id: SESSION, controlled, phase: 'idle', turn_id: null }],
    }));
    made.service.save('Old', 'Answer');
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(made.store.getState().historyState).toBe('complete'));
    made.service.save('New', 'Reply');
    made.later();
    await vi.waitFor(() => expect(words(made)).toContain('answer: Reply'));
    expect(made.store.getState().session?.control).toBe('other');
    controlled = false;
    made.later();
    await vi.waitFor(() => expect(made.store.getState().session?.control).toBe('none'));
    expect(made.store.getState().notice?.text).toContain('is free');
    expect(made.service.calls.filter((method) => method === 'session.claim').length).toBe(1);
  });

  it('refuses a message that no turn can take, and says by how much', async () => {
    const made = scene();
    await untilReady(made);
    expect(made.conversation.send('é'.repeat(10_000))).toBe('too-long');
    expect(made.store.getState().outbox).toEqual([]);
    expect(made.store.getState().notice?.text).toContain('20,000 bytes; a message may have 16,384');
  });

  it('brings unsent messages back as a draft, and asks about uncertain ones', async () => {
    const made = scene();
    const item = {
      operationId: 'o1',
      text: 'never sent',
      state: 'queued' as const,
      instanceId: null,
      after: 0,
    };
    const sent = {
      operationId: 'o2',
      text: 'sent',
      state: 'sent' as const,
      instanceId: 'instance-0',
      after: 0,
    };
    made.keeper.kept.set(SESSION, { draft: 'half', outbox: [item, sent] });
    await untilReady(made);
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() =>
      expect(made.store.getState().returned).toEqual([
        { text: 'never sent\nhalf', place: 'instead', attachments: [] },
        { text: 'sent', place: 'before', attachments: [] },
      ]),
    );
    expect(keptDraft(made)).toBe('sent\nnever sent\nhalf');
    expect(made.store.getState().outbox).toEqual([]);
    expect(made.service.prompts).toEqual([]);
  });

  it('keeps each session its draft', async () => {
    const made = scene();
    await untilReady(made);
    made.conversation.keepDraft('half a thought');
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(made.store.getState().session?.id).toBe(SESSION));
    expect(made.store.getState().returned).toMatchObject([{ text: '', place: 'instead' }]);
    made.conversation.startNew();
    await vi.waitFor(() =>
      expect(made.store.getState().returned).toMatchObject([{ text: 'half a thought', place: 'instead' }]),
    );
  });
});
