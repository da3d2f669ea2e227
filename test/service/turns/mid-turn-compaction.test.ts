import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { activity } from '../../../src/wire/activity.ts';
import { hold, type Rec, replay } from '../harness.ts';
import { type RealWorld, startRealWorld, turn } from './real-agent.ts';

let real: RealWorld;
afterEach(() => real.close());

const READS = 8;

test('a summary from the middle of a turn is told and kept, and the next turn starts from it', async () => {
  let asked = 0;
  let summaries = 0;
  real = await startRealWorld('scripted-1', 'openai-completions', {
    contextLength: 32_768,
    script: ({ lastUser }) => {
      if (lastUser.startsWith('<conversation>')) {
        summaries += 1;
        return [{ text: `summary number ${summaries}` }];
      }
      asked += 1;
      if (lastUser !== 'read all') return [{ text: 'fine' }];
      if (asked > READS) return [{ text: 'all is read' }];
      return [{ text: `reading ${asked}` }, { toolCall: 'read', args: { path: 'big.txt' } }];
    },
  });
  const { server, world } = real;
  writeFileSync(join(world.workspace, 'big.txt'), 'lorem ipsum\n'.repeat(2_500));
  const client = await world.profileClient();
  const held = await hold(client);
  expect(await turn(client, held, { prompt: 'read all' })).toMatchObject({ status: 'completed' });
  expect(summaries).toBeGreaterThan(0);

  const told: Rec[] = client.events.map(({ payload }) => payload.activity).filter(Boolean);
  expect(told.every((item) => activity.safeParse(item).success)).toBe(true);
  const compactions = told.filter(({ kind }) => kind === 'compaction');
  expect(compactions.map(({ status }) => status)).toEqual(
    Array.from({ length: summaries }, () => ['running', 'completed']).flat(),
  );
  expect(compactions.every(({ max_tokens }) => max_tokens === 32_768)).toBe(true);

  const envelopes: Rec[] = client.events
    .filter(({ event }) => event === 'session.envelope')
    .map(({ payload }) => payload.envelope);
  const kept = envelopes.filter(({ ev }) => ev.t === 'service');
  expect(kept.map(({ ev }) => [ev.kind, ev.summary])).toEqual(
    Array.from({ length: summaries }, (_, at) => ['compaction', `summary number ${at + 1}`]),
  );
  // No call is open where a summary stands.
  const open = (upTo: number, t: string) => envelopes.slice(0, upTo).filter(({ ev }) => ev.t === t).length;
  for (const envelope of kept) {
    const at = envelopes.indexOf(envelope);
    expect(open(at, 'tool-call-start')).toBe(open(at, 'tool-call-end'));
  }
  const end = envelopes.find(({ ev }) => ev.t === 'turn-end');
  expect(end.ev.usage.inputTokens).toBeGreaterThan(0);

  await turn(client, held, { prompt: 'and now?' });
  const next = JSON.stringify(server.requests.at(-1)?.body.messages);
  expect(next).toContain(`summary number ${summaries}`);
  expect(next).toContain('read all');
  expect(next).toContain('all is read');
  expect(next).not.toContain('reading 1"');
  if (summaries > 1) expect(next).not.toContain('summary number 1');
  const page = await replay(client, held.session);
  expect(page.events.filter(({ kind }: Rec) => kind === 'summary')).toHaveLength(summaries);
});
