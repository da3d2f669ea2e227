/** A service that tells everything in envelopes: each is shown once, whatever way it came (PROTOCOL.md, "Session profile"). */
import { describe, expect, test, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import type { WireEnvelope } from '../../src/wire/session-protocol.ts';
import { FakeService, replyLost, SESSION } from './fake-service.ts';
import { returnedText, runTurn, type Scene, scene, untilReady, words } from './scene.ts';

let serial = 0;
function envelope(role: 'user' | 'agent', ev: WireEnvelope, more: WireEnvelope = {}): WireEnvelope {
  serial += 1;
  return { id: `e${serial}x`, time: serial, role, ...more, ev };
}
const user = (text: string, more: WireEnvelope = {}) => envelope('user', { t: 'text', text, ...more });
const agent = (ev: WireEnvelope, more: WireEnvelope = {}) =>
  envelope('agent', ev, { turn: 'turn1', ...more });
const answer = (text: string) => agent({ t: 'text', text });
const start = (call: string) =>
  agent({ t: 'tool-call-start', call, name: 'bash', title: 'npm test', description: '', args: {} });
const asks = (call: string, command = 'npm test') =>
  agent({
    t: 'permission-request',
    call,
    toolName: 'bash',
    title: command,
    description: '',
    args: { command },
  });

/** The turn of the fake service under the name that envelopes use. */
function enveloped(): Scene {
  const service = new FakeService('instance-1');
  service.enveloped = true;
  service.handlers.set('turn.start', (payload) => {
    service.prompts.push((payload as { prompt: string }).prompt);
    return { turn_id: 'turn1', status: 'accepted' };
  });
  const send = service.send.bind(service);
  service.send = (event, payload) => send(event, { turn_id: 'turn1', ...payload });
  return scene(service);
}

async function begun(made: Scene, text: string): Promise<void> {
  await untilReady(made);
  await runTurn(made, text);
  made.service.tell(user(text));
  made.service.tell(agent({ t: 'turn-start' }));
}

const delta = (made: Scene, id: unknown, text: string, more: object = {}) =>
  made.service.send('turn.assistant_delta', { envelope_id: id, text, ...more });

describe('a turn', () => {
  test('is told by deltas and then by the envelope that replaces them', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    const said = answer('Hi there');
    delta(made, said.id, 'Hi ');
    delta(made, said.id, 'the');
    expect(words(made)).toEqual(['user: Hello', 'answer: Hi the']);
    const open = made.store.getState().live?.blocks.at(-1);
    expect(open).toMatchObject({ kind: 'answer', open: true });
    made.service.tell(said);
    expect(words(made)).toEqual(['user: Hello', 'answer: Hi there']);
    expect(made.store.getState().live?.blocks.at(-1)?.id).toBe(open?.id);
    made.service.tell(agent({ t: 'turn-end', status: 'completed' }));
    made.service.terminal('');
    await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
    expect(words(made)).toEqual(['user: Hello', 'answer: Hi there', 'turn-end']);
    expect(made.store.getState()).toMatchObject({ outbox: [], session: { title: 'Hello' } });
  });

  test('shows tools with their titles, thinking apart, and nothing of what a subagent says', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    const thought = agent({ t: 'text', text: 'Let me see', thinking: true });
    delta(made, thought.id, 'Let me', { thinking: true });
    expect(words(made).at(-1)).toBe('thinking: Let me');
    made.service.tell(thought);
    made.service.tell(start('c1'));
    delta(made, 'sub1', 'inner words', { subagent: 'sa1' });
    made.service.tell(agent({ t: 'text', text: 'inner words' }, { subagent: 'sa1' }));
    const end = { t: 'tool-call-end', call: 'c1', status: 'ok', output: 'fine', durationMs: 5 };
    made.service.tell(agent(end));
    expect(words(made)).toEqual(['user: Hello', 'thinking: Let me see', 'tool']);
    expect(made.store.getState().live?.blocks.at(-1)).toMatchObject({
      kind: 'tool',
      title: 'npm test',
      status: 'ok',
      output: 'fine',
    });
  });

  test('that ends without its envelopes says how it ended', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    delta(made, 'e900x', 'half');
    made.service.terminal('half', 'cancelled');
    await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
    expect(words(made)).toEqual(['user: Hello', 'answer: half', 'turn-end']);
  });
});

test('a long message that comes in several envelopes is one', async () => {
  const made = enveloped();
  await untilReady(made);
  await runTurn(made, 'a long message');
  made.service.tell(envelope('user', { t: 'text', text: 'a long ' }, { turn: 'turn1' }));
  made.service.tell(envelope('user', { t: 'text', text: 'message' }, { turn: 'turn1' }));
  made.service.tell(envelope('user', { t: 'text', text: 'shorter', steer: true }, { turn: 'turn1' }));
  expect(words(made)).toEqual(['user: a long message', 'user: shorter']);
});

describe('a question', () => {
  test('waits, is answered once, and goes with its answer', async () => {
    const made = enveloped();
    const answers: unknown[] = [];
    made.service.handlers.set('turn.permission_response', (payload) => {
      answers.push(payload);
      return { call: 'c1', status: 'accepted' };
    });
    await begun(made, 'Hello');
    made.service.tell(start('c1'));
    made.service.tell(asks('c1'));
    expect(made.store.getState().live?.envelopes?.questions).toMatchObject([
      { call: 'c1', toolName: 'bash' },
    ]);
    made.conversation.answer('allow-always');
    await vi.waitFor(() =>
      expect(answers).toEqual([{ turn_id: 'turn1', call: 'c1', decision: 'allow-always' }]),
    );
    made.service.tell(
      envelope('user', { t: 'permission-response', call: 'c1', decision: 'allow-always' }, { turn: 'turn1' }),
    );
    expect(made.store.getState().live?.envelopes?.questions).toEqual([]);
    made.conversation.answer('deny');
    expect(answers.length).toBe(1);
  });

  test('stands at its tool for as long as it is open', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    const card = () => made.store.getState().live?.blocks.find((block) => block.kind === 'tool');
    made.service.tell(start('c1'));
    const revision = card()?.revision;
    expect(card()).not.toHaveProperty('asks');
    made.service.tell(asks('c1'));
    expect(card()).toMatchObject({ asks: true, status: 'running' });
    expect(card()?.revision).not.toBe(revision);
    made.service.tell(agent({ t: 'tool-call-end', call: 'c1', status: 'ok' }));
    expect(card()).not.toHaveProperty('asks');
  });

  test('that is answered too late is no failure', async () => {
    const made = enveloped();
    made.service.handlers.set('turn.permission_response', () => {
      throw refusal({ code: 'unknown_turn' });
    });
    await begun(made, 'Hello');
    made.service.tell(asks('c1'));
    made.conversation.answer('deny');
    made.service.tell(agent({ t: 'tool-call-end', call: 'c1', status: 'denied' }));
    expect(made.store.getState()).toMatchObject({ notice: null, live: { envelopes: { questions: [] } } });
  });
});

test('a service that died in mid-turn: what was shown stays, and its own end is shown once', async () => {
  const made = enveloped();
  await begun(made, 'Hello');
  const said = answer('One ');
  made.service.tell(said);
  made.service.tell(start('c1'));
  delta(made, 'e902x', 'two');
  const dead = made.service;
  made.service = new FakeService('instance-2');
  made.service.enveloped = true;
  const end = agent({
    t: 'turn-end',
    status: 'failed',
    error: { code: 'internal_error', message: 'It died.' },
  });
  made.service.envelopes = [...dead.envelopes, { cursor: 'e-end', envelope: end }];
  dead.drop();
  await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
  await vi.waitFor(() => expect(words(made).at(-1)).toBe('turn-end'));
  expect(words(made)).toEqual(['user: Hello', 'answer: One ', 'tool', 'answer: two', 'turn-end']);
  expect(made.store.getState().history[2]).toMatchObject({ kind: 'tool', status: 'cancelled' });
  expect(made.store.getState().notice?.text).toBe('The end of this answer was not saved.');
});

describe('steering', () => {
  test('words go into the turn and stand in it', async () => {
    const made = enveloped();
    made.service.handlers.set('turn.steer', () => ({
      turn_id: 'turn1',
      envelope_id: 'x1',
      status: 'accepted',
    }));
    await begun(made, 'Hello');
    expect(made.conversation.steer('shorter')).toBe('steered');
    made.service.tell(user('shorter', { steer: true }));
    expect(words(made)).toEqual(['user: Hello', 'user: shorter']);
    expect(made.store.getState().live?.blocks).toMatchObject([{ kind: 'user', steer: true }]);
  });

  test('words for a turn that is over are a message of their own; words whose fate is unknown come back', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    made.service.handlers.set('turn.steer', () => {
      throw refusal({ code: 'unknown_turn' });
    });
    made.conversation.steer('later');
    await vi.waitFor(() => expect(made.store.getState().outbox.map(({ text }) => text)).toEqual(['later']));
    made.service.handlers.set('turn.steer', () => {
      throw replyLost();
    });
    made.conversation.steer('lost');
    await vi.waitFor(() => expect(returnedText(made)).toBe('lost'));
    expect(made.store.getState().notice?.text).toContain('not known whether these words arrived');
  });
});

describe('the past', () => {
  test('is read from its end, page by page, and shown in order', async () => {
    const made = enveloped();
    await untilReady(made);
    for (const text of ['one', 'two', 'three'])
      made.service.envelopes.push(
        { cursor: `u${text}`, envelope: user(text) },
        { cursor: `a${text}`, envelope: answer(`re ${text}`) },
        { cursor: `t${text}`, envelope: agent({ t: 'turn-end', status: 'completed' }) },
      );
    made.conversation.open(SESSION, 'Old');
    const turn = (text: string) => [`user: ${text}`, `answer: re ${text}`, 'turn-end'];
    const all = [...turn('one'), ...turn('two'), ...turn('three')];
    await vi.waitFor(() => expect(words(made)).toEqual(all));
    expect(made.store.getState().historyState).toBe('complete');
    expect(made.service.calls).not.toContain('session.replay');
  });

  test('what came while the link was lost is read once, and what is being written goes on', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    const first = answer('One ');
    made.service.tell(first);
    const second = answer('two ');
    made.service.envelopes.push({ cursor: 'e-second', envelope: second });
    made.service.snapshot = {
      turn: {
        turn_id: 'turn1',
        operation_id: made.service.operationId,
        assistant_text: 'One two thr',
        sequence: 9,
        activity_dropped: 0,
        replay_required: false,
        pending: { envelope_id: 'e901x', text: 'thr', thinking: false },
      },
    };
    made.service.drop();
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello', 'answer: One two thr']));
    made.service.send('turn.assistant_delta', { envelope_id: 'e901x', text: 'ee', sequence: 10 });
    expect(words(made)).toEqual(['user: Hello', 'answer: One two three']);
    expect(made.store.getState().live?.relinks).toBe(1);
  });

  test('a turn that ends while the pages are read keeps its order', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    made.service.snapshot = {
      turn: {
        turn_id: 'turn1',
        operation_id: made.service.operationId,
        assistant_text: '',
        sequence: 9,
        activity_dropped: 0,
        replay_required: false,
        pending: null,
      },
    };
    made.service.handlers.set('session.envelopes', (payload) => {
      made.service.handlers.delete('session.envelopes');
      const { envelopes } = made.service;
      const page = { has_earlier: false, has_later: false, gap: false, resync_required: false };
      const cursor = envelopes.at(-1)?.cursor ?? null;
      expect(payload).toEqual({ after: cursor });
      made.service.send('session.envelope', { cursor: 'e90', envelope: answer('Hi'), sequence: 10 });
      const end = agent({ t: 'turn-end', status: 'completed' });
      made.service.send('session.envelope', { cursor: 'e91', envelope: end, sequence: 11 });
      made.service.send('turn.terminal', {
        session_id: SESSION,
        status: 'completed',
        assistant_text: 'Hi',
        error: null,
        sequence: 12,
      });
      return { envelopes: [], first_cursor: null, last_cursor: cursor, ...page };
    });
    made.service.drop();
    await vi.waitFor(() => expect(words(made)).toEqual(['user: Hello', 'answer: Hi', 'turn-end']));
    await vi.waitFor(() => expect(made.store.getState().live).toBeNull());
  });

  test('a session is called what anybody called it last, be it read or heard', async () => {
    const made = enveloped();
    await untilReady(made);
    const named = (title: string) =>
      envelope('agent', { t: 'service', kind: 'notice', text: 'The session was given a name.', title });
    const put = (cursor: string, placed: WireEnvelope) =>
      made.service.envelopes.push({ cursor, envelope: placed });
    put('c1', user('one'));
    put('c2', named('First'));
    put('c3', named('Second'));
    put('c4', answer('re one'));
    made.conversation.open(SESSION, 'Old');
    await vi.waitFor(() => expect(made.store.getState().session?.title).toBe('Second'));
    const other = enveloped();
    await begun(other, 'Hello');
    other.service.tell(named('Third'));
    other.service.tell(agent({ t: 'service', text: 'Anything else' }));
    expect(other.store.getState().session?.title).toBe('Third');
  });

  test('an unknown kind of envelope is one line, and a broken one is nothing', async () => {
    const made = enveloped();
    await begun(made, 'Hello');
    made.service.tell(agent({ t: 'weather', sky: 'blue' }));
    made.service.tell({ nonsense: true });
    expect(words(made)).toEqual(['user: Hello', 'service: (weather: not known to this version)']);
  });
});
