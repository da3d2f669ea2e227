/** The recorded turns through socket, decoder and store: taken whole, or ended at the record that is wrong (PROTOCOL.md, "Evolution"). */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openConnection } from '../../src/client/connection.ts';
import { ServiceLink } from '../../src/client/link.ts';
import { Conversation } from '../../src/store/conversation.ts';
import { INITIAL, type State } from '../../src/store/state.ts';
import { Store } from '../../src/store/store.ts';
import { ScriptedService } from '../support/scripted-service.ts';
import {
  drop,
  type Mutation,
  objectOf,
  readTrace,
  set,
  socketsOf,
  type TraceLine,
} from '../support/traces.ts';
import { MemoryKeeper, serialIds, words } from './scene.ts';
import { type Poison, TraceService } from './trace-service.ts';

const TURNS = [
  '03-turn-completed-with-tool',
  '04-turn-cancelled',
  '05-disconnect-and-reclaim',
  '06-persistence-failed',
  '07-output-limit',
];

const soon = (check: () => void) => vi.waitFor(check, { interval: 2 });

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A conversation with a service that plays the recording. @param again whether a lost link is opened again */
async function talk(sockets: readonly TraceLine[][], poison: Poison | null, again: boolean) {
  const service = await ScriptedService.start(async (peer, index) => {
    const lines = sockets[index];
    if (lines === undefined) return peer.close();
    await new TraceService(lines, poison).play(peer, index === sockets.length - 1);
  });
  const store = new Store<State>(INITIAL, (run) => run());
  const keeper = new MemoryKeeper();
  const newId = serialIds();
  const link = new ServiceLink(() => openConnection(service.options), {
    schedule: (run, ms) => {
      const timer = again && ms === 0 ? setTimeout(run, 0) : undefined;
      return () => clearTimeout(timer);
    },
  });
  const later = (): (() => void) => () => undefined;
  const parts = { store, link, keeper, now: Date.now, newId, newOperationId: newId, later };
  const conversation = new Conversation({ ...parts, target: 'new' });
  ends.push(async () => {
    await conversation.close();
    await service.stop();
    expect(service.errors).toEqual([]);
  });
  return { store, conversation, keeper };
}

const eventsOf = (lines: readonly TraceLine[], event: string) =>
  lines.filter(({ dir, record }) => dir === 's2c' && record.event === event);

describe.each(TURNS)('%s', (name) => {
  const sockets = socketsOf(readTrace(name));
  const lines = sockets.flat();
  const terminal = objectOf(eventsOf(lines, 'turn.terminal')[0]?.record.payload);
  const { prompt } = objectOf(
    lines.find(({ dir, record }) => dir === 'c2s' && record.method === 'turn.start')?.record.payload,
  );

  test('is shown whole', async () => {
    const { store, conversation } = await talk(sockets, null, true);
    await soon(() => expect(store.getState().link.kind).toBe('ready'));
    conversation.send(String(prompt));
    if (terminal.status === 'cancelled') {
      await soon(() => expect(store.getState().live?.text).toBeTruthy());
      conversation.stop();
    }
    await soon(() => expect(words({ store }).at(-1)).toBe('turn-end'));
    const end = store.getState().history.at(-1);
    expect(end).toMatchObject({ kind: 'turn-end', status: terminal.status });
    const shown = words({ store });
    expect(shown[0]).toBe(`user: ${prompt}`);
    const answers = shown.filter((line) => line.startsWith('answer: ')).map((line) => line.slice(8));
    expect(answers.join('\n\n').replaceAll(/\s+/g, ' ').trim()).toBe(
      String(terminal.assistant_text).replaceAll(/\s+/g, ' ').trim(),
    );
  });

  const targets = lines.filter(({ dir, record }) => dir === 's2c' && record.kind === 'event');
  const inFirst = targets.filter((line) => sockets[0]?.includes(line));
  const mutations: readonly (readonly [string, Mutation])[] = [
    ['no sequence', drop('payload.sequence')],
    ['another turn', set('payload.turn_id', 'turn-of-another')],
    ['a position of before', set('live_sequence', 0)],
    ['another instance', set('instance_id', 'instance-of-another')],
    ['no JSON', () => Buffer.from('{"kind":"event"\n')],
  ];
  const rows = inFirst.flatMap((target, index) =>
    mutations.map(([what, mutate]) => ({ what, mutate, target, index, event: String(target.record.event) })),
  );

  test.each(rows)('event $index ($event) with $what ends the link, not the draft', async (row) => {
    const { store, conversation, keeper } = await talk(sockets, row, false);
    await soon(() => expect(store.getState().link.kind).toBe('ready'));
    conversation.send(String(prompt));
    if (terminal.status === 'cancelled' && row.event === 'turn.terminal') {
      await soon(() => expect(store.getState().live?.text).toBeTruthy());
      conversation.stop();
    }
    conversation.keepDraft('half a thought');
    await soon(() => expect(store.getState().link.kind).toBe('lost'));
    expect(store.getState().link).toMatchObject({
      sentence: expect.stringMatching(/^The service broke the protocol: /),
    });
    const before = inFirst.slice(0, row.index);
    const deltas = before.filter(({ record }) => record.event === 'turn.assistant_delta');
    const text = deltas.map(({ record }) => objectOf(record.payload).text).join('');
    expect(store.getState().live?.text ?? '').toBe(text);
    const kept = [...keeper.kept.values()].some(({ draft }) => draft === 'half a thought');
    expect(kept).toBe(true);
  });
});
