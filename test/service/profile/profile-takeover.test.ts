import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/agent/runtime.ts';
import { claim, hold, type Rec, start, startWorld, type WireClient, type World } from '../harness.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

type Step = AgentEvent | 'leave';
const words = fc.constantFrom('a', 'é"\n', 'word ', 'x'.repeat(700), '😀'.repeat(300), '\u0001'.repeat(90));
const voice = fc.constantFrom({}, { subagent: 's1' }, { subagent: 's2' });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: words.map((text): Step => ({ type: 'text', text })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('text', 'thinking'), words, voice)
      .map(([type, text, by]): Step => ({ type: type as 'text', text, ...by })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'steer-taken', text: '' }) },
  {
    weight: 1,
    arbitrary: fc.constant<Step>({ type: 'tool-start', call: 'c', name: 'read', title: '', args: {} }),
  },
  { weight: 2, arbitrary: fc.constant<Step>('leave') },
);

async function pages(client: WireClient, session: string): Promise<Rec[]> {
  const found: Rec[] = [];
  for (let before: string | null = null; ; ) {
    const { payload }: Rec = await client.ask('session.envelopes', { before }, { session_id: session });
    found.unshift(...payload.envelopes);
    if (!payload.has_earlier) return found;
    before = payload.first_cursor;
  }
}

/** What a client that comes now can know: the pages, what is pending, and whatever follows. */
async function takeOver(session: string): Promise<{ client: WireClient; known: Rec[]; pending: Rec }> {
  const client = await world.profileClient();
  await client.until(async () => {
    const { sessions } = (await client.ask('session.active')).payload;
    return sessions.every((one: Rec) => one.session_id !== session || !one.controlled);
  });
  const held = await claim(client, session);
  return { client, known: await pages(client, session), pending: held.claim.snapshot.turn?.pending ?? null };
}

test('whenever a client comes and goes, it can know everything that was said', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let client = await world.profileClient();
      const held = await hold(client);
      await start(client, held, 'Go');
      const turn = world.agent.last;
      let known: Rec[] = await pages(client, held.session);
      let pending: Rec = null;
      for (const each of steps) {
        if (each !== 'leave') {
          turn.emit(each);
          continue;
        }
        client.socket.destroy();
        ({ client, known, pending } = await takeOver(held.session));
      }
      turn.complete();
      const events = async (): Promise<Rec[]> => {
        const over = (event: Rec) => event.event === 'turn.terminal';
        const ended = await client.until(async () => {
          if (client.events.some(over)) return true;
          return (await client.ask('session.active')).payload.sessions.every(
            (one: Rec) => one.session_id !== held.session || one.phase === 'idle',
          );
        });
        expect(ended).toBe(true);
        return client.events;
      };
      const told = await events();
      const file = await pages(client, held.session);
      const seen = new Map<string, Rec>(known.map((placed) => [placed.cursor, placed]));
      for (const { event, payload } of told)
        if (event === 'session.envelope')
          seen.set(payload.cursor, { cursor: payload.cursor, envelope: payload.envelope });
      expect([...seen.values()]).toEqual(file);
      const spoken = new Map<string, string>();
      if (pending !== null) spoken.set(pending.envelope_id, pending.text);
      for (const { event, payload } of told)
        if (event === 'turn.assistant_delta')
          spoken.set(payload.envelope_id, (spoken.get(payload.envelope_id) ?? '') + payload.text);
      // The last deltas of a text may have been replaced by its envelope before they left.
      for (const { envelope } of file)
        if (spoken.has(envelope.id)) expect(envelope.ev.text.startsWith(spoken.get(envelope.id))).toBe(true);
      for (const id of spoken.keys()) expect(file.map(({ envelope }) => envelope.id)).toContain(id);
      const said = (of: object): string =>
        steps
          .filter((each) => each !== 'leave' && each.type === 'text')
          .filter((each) => (each as Rec).subagent === (of as Rec).subagent)
          .map((each) => (each as Rec).text)
          .join('');
      for (const by of [{}, { subagent: 's1' }, { subagent: 's2' }]) {
        const stored = file
          .map(({ envelope }) => envelope)
          .filter(({ ev, role }) => ev.t === 'text' && role === 'agent' && ev.thinking !== true)
          .filter(({ subagent }) => subagent === (by as Rec).subagent);
        expect(stored.map(({ ev }) => ev.text).join('')).toBe(said(by));
      }
      client.socket.destroy();
    }),
    { numRuns: 40 },
  );
});
