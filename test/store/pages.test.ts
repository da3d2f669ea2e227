/** A session that is too long to be held whole: what is shown is one unbroken part of it, wherever the reader goes. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { refusal } from '../../src/client/failure.ts';
import { weightOf } from '../../src/store/stretches.ts';
import type { Block } from '../../src/transcript/blocks.ts';
import type { EnvelopesRequest, PlacedEnvelope, WireEnvelope } from '../../src/wire/session-protocol.ts';
import { FakeService, SESSION } from './fake-service.ts';
import { returnedText, type Scene, scene, untilReady } from './scene.ts';

const PAGE = 32;
const LONG_TEXT = 'long '.repeat(4_000);
/** What may be held at most, and one step more. */
const BOUND = 8 * 1_024 * 1_024;

let serial = 0;
function envelope(role: 'user' | 'agent', turn: string, ev: WireEnvelope): WireEnvelope {
  serial += 1;
  return { id: `p${serial}x`, time: serial, role, turn, ev };
}

/** The envelopes of a turn: what was asked, what was done and said, the end. */
function turnOf(number: number, text = ''): WireEnvelope[] {
  const turn = `turn${number}`;
  const call = `call${number}`;
  return [
    envelope('user', turn, { t: 'text', text: `ask ${number}` }),
    envelope('agent', turn, { t: 'turn-start' }),
    envelope('agent', turn, {
      t: 'tool-call-start',
      call,
      name: 'bash',
      title: `tool ${number}`,
      description: '',
      args: {},
    }),
    envelope('agent', turn, { t: 'text', text: `say ${number} ` }),
    envelope('agent', turn, { t: 'tool-call-end', call, status: 'ok' }),
    envelope('agent', turn, { t: 'text', text }),
    envelope('agent', turn, { t: 'turn-end', status: 'completed' }),
  ];
}

function partsOf(number: number): string[] {
  return [`ask ${number}`, `tool ${number} ok`, `say ${number}`, `end`];
}

function shownOf(block: Block): string {
  if (block.kind === 'tool') return `${block.title} ${block.status}`;
  if (block.kind === 'answer') return block.text.slice(0, block.text.indexOf(' ', 4));
  return block.kind === 'turn-end' ? 'end' : 'text' in block ? block.text : '';
}

interface Long extends Scene {
  /** How many turns the session has. */
  turns: number;
}

/** An open session with a past. */
async function opened(turns: number, text = ''): Promise<Long> {
  const service = new FakeService('instance-1');
  service.enveloped = true;
  service.envelopes = Array.from({ length: turns }, (_, at) => turnOf(at + 1, text))
    .flat()
    .map((value, at) => ({ cursor: `c${at}`, envelope: value }));
  const made = Object.assign(scene(service), { turns });
  answerPages(made);
  await untilReady(made);
  made.conversation.open(SESSION, 'Long');
  await until(() => expect(made.store.getState().history.length).toBeGreaterThan(0));
  await until(() => expect(made.store.getState().session?.control).toBe('mine'));
  return made;
}

/** A condition that holds soon. */
function until(condition: () => void): Promise<void> {
  return vi.waitFor(condition, { interval: 1 });
}

/** Pages as large as those of a real service. */
function answerPages({ service }: Scene): void {
  const at = new Map<string, number>();
  const placeOf = (cursor: string): number => {
    for (let place = at.size; place < service.envelopes.length; place += 1)
      at.set(service.envelopes[place]?.cursor ?? '', place);
    return at.get(cursor) ?? -1;
  };
  service.handlers.set('session.envelopes', (payload) => {
    const { after, before } = payload as EnvelopesRequest;
    const all = service.envelopes;
    const to = after == null ? (before == null ? all.length : placeOf(before)) : placeOf(after) + 1 + PAGE;
    const from = after == null ? Math.max(0, to - PAGE) : placeOf(after) + 1;
    const page: PlacedEnvelope[] = all.slice(from, to);
    return {
      envelopes: page,
      first_cursor: page[0]?.cursor ?? null,
      last_cursor: page.at(-1)?.cursor ?? null,
      has_earlier: page.length > 0 && from > 0,
      has_later: page.length > 0 && from + page.length < all.length,
      gap: false,
      resync_required: false,
    };
  });
}

/** Everything on the screen: one unbroken part of the session, to its ends where it says so. */
function expectUnbroken({ store, turns }: Long): string[] {
  const { edges, history, live } = store.getState();
  const blocks = edges.below === 'end' ? [...history, ...(live?.blocks ?? [])] : history;
  const shown = blocks.map(shownOf);
  const all = Array.from({ length: turns }, (_, at) => partsOf(at + 1)).flat();
  const first = all.indexOf(shown[0] ?? '');
  expect(shown).toEqual(all.slice(first, first + shown.length));
  if (edges.below === 'end') expect(first + shown.length).toBe(all.length);
  if (edges.above === 'none' || edges.above === 'beginning') expect(first).toBe(0);
  else expect(first % partsOf(1).length).toBe(0);
  expect(weightOf(history)).toBeLessThan(BOUND);
  return shown;
}

/** The reader stands at the first or the last block that is held. */
function standAt({ conversation, store }: Scene, end: 'top' | 'bottom'): void {
  const { history } = store.getState();
  const block = end === 'top' ? history[0] : history.at(-1);
  conversation.pages.follow(block?.id ?? null);
}

/** Somebody else's whole turn. */
function another(made: Long): void {
  made.turns += 1;
  for (const value of turnOf(made.turns)) made.service.tell(value, 'between');
}

/** A turn of our own, to its end. */
async function ownTurn(made: Long): Promise<void> {
  const number = made.turns + 1;
  const turnId = `turn${number}`;
  made.service.handlers.set('turn.start', () => ({ turn_id: turnId, status: 'accepted' }));
  made.conversation.send(`ask ${number}`);
  await until(() => expect(made.store.getState().live?.turnId).toBe(turnId));
  made.turns = number;
  const events = turnOf(number);
  for (const value of events) {
    const placed = { cursor: `o${value.id}`, envelope: value };
    made.service.envelopes.push(placed);
    made.service.send('session.envelope', { ...placed, turn_id: turnId });
  }
  const ending = {
    session_id: SESSION,
    turn_id: turnId,
    status: 'completed',
    assistant_text: '',
    error: null,
  };
  made.service.send('turn.terminal', ending);
  await until(() => expect(made.store.getState().live).toBeNull());
}

test('opens at its end, with the newest part only', async () => {
  const made = await opened(2_000);
  const shown = expectUnbroken(made);
  expect(shown.at(-2)).toBe('say 2000');
  expect(made.store.getState().edges).toEqual({ above: 'more', below: 'end', passed: null });
  expect(shown.length).toBeGreaterThan(100);
  const pages = made.service.calls.filter((call) => call === 'session.envelopes');
  expect(pages.length).toBeLessThan(12);
});

test('a short one is held whole, and says nothing of its ends', async () => {
  const made = await opened(5);
  expect(expectUnbroken(made).length).toBe(20);
  expect(made.store.getState().edges.above).toBe('none');
  await made.conversation.pages.earlier();
  expect(await made.conversation.pages.beginning()).toBe(true);
  expect(made.store.getState().edges.above).toBe('none');
});

test('earlier pages come in above until the session begins', async () => {
  const made = await opened(120);
  for (let step = 0; step < 40 && made.store.getState().edges.above === 'more'; step += 1) {
    const before = made.store.getState().history;
    standAt(made, 'top');
    await made.conversation.pages.earlier();
    expectUnbroken(made);
    expect(made.store.getState().history.slice(-before.length)).toEqual(before);
  }
  expect(made.store.getState().edges.above).toBe('beginning');
});

test('what is far from the reader is let go and read again', async () => {
  const made = await opened(600, LONG_TEXT);
  const { pages } = made.conversation;
  while (made.store.getState().edges.above === 'more') {
    standAt(made, 'top');
    await pages.earlier();
    expectUnbroken(made);
  }
  expect(made.store.getState().edges).toMatchObject({ above: 'beginning', below: 'more' });
  await ownTurn(made);
  another(made);
  expectUnbroken(made);
  while (made.store.getState().edges.below === 'more') {
    standAt(made, 'bottom');
    await pages.later();
    expectUnbroken(made);
  }
  expect(made.store.getState().edges).toMatchObject({ above: 'more', below: 'end' });
  another(made);
  expectUnbroken(made);
});

test('who comes back to the end has the newest part, and old pages go', async () => {
  const made = await opened(600, LONG_TEXT);
  for (let step = 0; step < 8; step += 1) {
    standAt(made, 'top');
    await made.conversation.pages.earlier();
  }
  const high = weightOf(made.store.getState().history);
  made.conversation.pages.follow(null);
  await until(() => expect(made.store.getState().edges.below).toBe('end'));
  expectUnbroken(made);
  expect(weightOf(made.store.getState().history)).toBeLessThan(high / 2);
});

test('the end that is followed for long is not held for ever', async () => {
  const made = await opened(10);
  for (let turn = 0; turn < 400; turn += 1) {
    made.turns += 1;
    for (const value of turnOf(made.turns, LONG_TEXT)) made.service.tell(value, 'between');
    if (turn % 50 === 49) await ownTurn(made);
  }
  await ownTurn(made);
  await until(() => expect(made.store.getState().edges.above).toBe('more'));
  expectUnbroken(made);
  expect(weightOf(made.store.getState().history)).toBeLessThan(BOUND);
});

describe('the way to the beginning', () => {
  test('counts what it passes, and ends there', async () => {
    const made = await opened(1_500);
    const counts: number[] = [];
    made.store.subscribe(() => {
      const { passed } = made.store.getState().edges;
      if (passed !== null) counts.push(passed);
    });
    expect(await made.conversation.pages.beginning()).toBe(true);
    expect(expectUnbroken(made)[0]).toBe('ask 1');
    expect(made.store.getState().edges).toEqual({ above: 'beginning', below: 'more', passed: null });
    expect(counts).toEqual(counts.toSorted((left, right) => left - right));
    expect(counts.at(-1)).toBeGreaterThan(3_000);
  });

  test('is short where little lies before', async () => {
    const made = await opened(100);
    expect(await made.conversation.pages.beginning()).toBe(true);
    expect(made.store.getState().edges).toEqual({ above: 'beginning', below: 'end', passed: null });
    expect(expectUnbroken(made).length).toBe(400);
  });

  test('can be left: the reader and what is held stay where they are', async () => {
    const made = await opened(1_500);
    const before = made.store.getState().history;
    made.store.subscribe(() => {
      if ((made.store.getState().edges.passed ?? 0) > 50) made.conversation.pages.interrupt();
    });
    const way = made.conversation.pages.beginning();
    expect(await way).toBe(false);
    expect(made.store.getState().history).toBe(before);
    expect(made.store.getState().edges).toEqual({ above: 'more', below: 'end', passed: null });
  });
});

test('pages that cannot be read are told once, and tried again when asked', async () => {
  const made = await opened(2_000);
  const real = made.service.handlers.get('session.envelopes');
  made.service.handlers.set('session.envelopes', () => {
    throw refusal({ code: 'session_unavailable' });
  });
  await made.conversation.pages.earlier();
  expect(made.store.getState()).toMatchObject({ edges: { above: 'failed' }, notice: { tone: 'warn' } });
  if (real !== undefined) made.service.handlers.set('session.envelopes', real);
  await made.conversation.pages.earlier();
  expect(made.store.getState().edges.above).toBe('more');
  expectUnbroken(made);
});

test('a message whose fate is unknown is found in the part that is held', async () => {
  const service = new FakeService('instance-2');
  service.enveloped = true;
  const all = Array.from({ length: 301 }, (_, at) => turnOf(at + 1)).flat();
  service.envelopes = all.map((value, at) => ({ cursor: `c${at}`, envelope: value }));
  const made = scene(service);
  answerPages(made);
  const behind = String(all.at(-14)?.id);
  const item = {
    operationId: 'o1',
    instanceId: 'instance-1',
    state: 'uncertain',
    after: 300,
    behind,
  } as const;
  made.keeper.save(SESSION, { draft: '', outbox: [{ ...item, text: 'ask 301' }] });
  await untilReady(made);
  made.conversation.open(SESSION, 'Long');
  await until(() => expect(made.store.getState().edges.above).toBe('more'));
  await until(() => expect(made.store.getState().outbox).toEqual([]));
  expect(returnedText(made)).toBe('');
});

test('whatever the reader and the service do, what is shown is unbroken', async () => {
  const step = fc.constantFrom('earlier', 'later', 'beginning', 'leave', 'end', 'own', 'another', 'drop');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('', LONG_TEXT),
      fc.array(step, { maxLength: 14 }),
      async (text, steps) => {
        const made = await opened(300, text);
        const { pages } = made.conversation;
        for (const next of steps) {
          if (next === 'earlier' || next === 'later') {
            standAt(made, next === 'earlier' ? 'top' : 'bottom');
            await pages[next]();
          } else if (next === 'beginning') {
            standAt(made, 'top');
            await pages.beginning();
            standAt(made, 'top');
          } else if (next === 'leave') {
            const way = pages.beginning();
            pages.interrupt();
            await way;
          } else if (next === 'end') {
            pages.follow(null);
            await until(() => expect(made.store.getState().edges.below).toBe('end'));
          } else if (next === 'own') await ownTurn(made);
          else if (next === 'another') another(made);
          else {
            made.service.drop();
            await until(() => expect(made.store.getState().link.kind).toBe('ready'));
          }
          expectUnbroken(made);
        }
        await made.conversation.close();
      },
    ),
    { numRuns: 40 },
  );
});
