import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { envelopePage } from '../../../src/service/profile/envelope-page.ts';
import { SessionLines } from '../../../src/service/profile/session-lines.ts';
import { envelopeId } from '../../../src/transcript/envelope.ts';
import { encodedBytes } from '../../../src/wire/json.ts';
import {
  type EnvelopesResult,
  envelopesResult,
  type PlacedEnvelope,
  SESSION_PROTOCOL_LIMITS,
} from '../../../src/wire/session-protocol.ts';
import { claim, hold, op, type Rec, start, startWorld, type World } from '../harness.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mt-pages-'));
  file = join(folder, 's.jsonl');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = { format: 'magi-term-session', version: 1, session_id: 's', created_at: 1, workspace: '/w' };
const begin = (lines: readonly string[]): void =>
  writeFileSync(file, [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join(''));
const text = (said: string, more: object = {}): string =>
  JSON.stringify({ id: envelopeId(), time: 1, role: 'user', ev: { t: 'text', text: said }, ...more });

function page(range: { before?: string | null; after?: string | null; limit?: number }): EnvelopesResult {
  const lines = SessionLines.open(file, 's');
  if (lines === null) throw new Error('no session');
  try {
    const result = envelopePage(lines, { before: null, after: null, limit: 32, ...range });
    expect(envelopesResult.safeParse(result).success).toBe(true);
    expect(encodedBytes(result)).toBeLessThanOrEqual(SESSION_PROTOCOL_LIMITS.max_page_bytes);
    return result;
  } finally {
    lines.close();
  }
}

function backward(limit: number, between: () => void = () => undefined): PlacedEnvelope[] {
  const found: PlacedEnvelope[] = [];
  for (let before: string | null = null; ; between()) {
    const { envelopes, first_cursor, has_earlier } = page({ before, limit });
    found.unshift(...envelopes);
    if (!has_earlier) return found;
    expect(first_cursor).not.toBeNull();
    before = first_cursor;
  }
}

function forward(from: string, limit: number): PlacedEnvelope[] {
  const found: PlacedEnvelope[] = [];
  for (let after = from; ; ) {
    const { envelopes, has_later, last_cursor } = page({ after, limit });
    found.push(...envelopes);
    if (!has_later) return found;
    expect(last_cursor).not.toBeNull();
    after = last_cursor ?? '';
  }
}

/** Lines as they may stand in a file: short, long, broken, unknown. */
const line = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 60, unit: 'grapheme' }).map((said) => text(said)) },
  { weight: 2, arbitrary: fc.nat({ max: 12_000 }).map((length) => text('é"\n'.repeat(length / 3))) },
  { weight: 1, arbitrary: fc.constantFrom('', 'garbage', '{"id":1}', 'null', '{"ev":{"t":"text"}}') },
  {
    weight: 1,
    arbitrary: fc
      .string()
      .map((said) => text('', { ev: { t: 'hologram', said: said.toWellFormed(), deep: [[1]] } })),
  },
);

test('pages forward, pages backward and the file say the same, whatever stands in it', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 60 }),
      fc.integer({ min: 1, max: 32 }),
      fc.integer({ min: 1, max: 32 }),
      (lines, one, other) => {
        begin(lines);
        const all = backward(one);
        const readable = lines.filter((each) => each.startsWith('{"id":"'));
        expect(all.map(({ envelope }) => envelope)).toEqual(readable.map((each) => JSON.parse(each)));
        expect(new Set(all.map(({ cursor }) => cursor)).size).toBe(all.length);
        for (const [index, { cursor }] of all.entries()) {
          if (index % 7 !== 0) continue;
          expect(forward(cursor, other)).toEqual(all.slice(index + 1));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('while the file grows nothing moves', () => {
  begin(Array.from({ length: 100 }, (_, index) => text(`${index}`)));
  const before = backward(10);
  const more = (): void => appendFileSync(file, `${text('later')}\n`);
  expect(backward(10, more).slice(0, 100)).toEqual(before);
  const last = before.at(-1)?.cursor ?? '';
  expect(forward(last, 3).map(({ envelope }) => envelope.ev)).toEqual(
    Array.from({ length: 9 }, () => ({ t: 'text', text: 'later' })),
  );
});

describe('a page', () => {
  test('at the ends, and of an empty session', () => {
    begin([]);
    const empty = {
      envelopes: [],
      first_cursor: null,
      last_cursor: null,
      gap: false,
      resync_required: false,
    };
    expect(page({})).toEqual({ ...empty, has_earlier: false, has_later: false });
    begin([text('a'), text('b')]);
    const { first_cursor, last_cursor } = page({});
    expect(page({ after: last_cursor })).toEqual({ ...empty, has_earlier: true, has_later: false });
    expect(page({ before: first_cursor })).toEqual({ ...empty, has_earlier: false, has_later: true });
    expect(page({ after: first_cursor })).toMatchObject({ first_cursor: last_cursor, has_earlier: true });
  });

  test('tells of what it cannot read, and passes over a torn end', () => {
    begin([text('a'), 'garbage', text('b')]);
    expect(page({})).toMatchObject({ gap: true, envelopes: [{}, {}] });
    begin([text('a'), text('b')]);
    appendFileSync(file, '{"id":"torn');
    expect(page({})).toMatchObject({ gap: true, envelopes: [{}, {}], has_later: false });
    expect(page({ limit: 1 })).toMatchObject({ gap: true, has_earlier: true });
  });

  test('asks for a resync when the place is another one', () => {
    const lines = [text('a'), text('b')];
    begin(lines);
    const { first_cursor, last_cursor } = page({});
    begin([text('c'), lines[1] ?? '']);
    expect(page({ after: first_cursor }).resync_required).toBe(true);
    expect(page({ after: last_cursor }).resync_required).toBe(false);
    begin([text('longer than before'), lines[1] ?? '']);
    expect(page({ before: last_cursor })).toMatchObject({ resync_required: true, envelopes: [] });
    for (const cursor of ['nonsense', 'e1_0_abc', 'e1_99999999_abc', `e1_1_${'a'.repeat(33)}`])
      expect(page({ after: cursor }).resync_required).toBe(true);
    const inner = text('x', { ev: { t: 'text', text: '\n{"id":"abc"}' } });
    begin([inner]);
    const at = readFileSync(file, 'utf8').indexOf('{\\"id');
    expect(page({ after: `e1_${at}_abc` }).resync_required).toBe(true);
  });

  test('shortens what older records hold too much of, and says so', () => {
    begin([text('x'.repeat(100_000)), text('y')]);
    const { envelopes, gap } = page({});
    expect(gap).toBe(true);
    expect(JSON.stringify(envelopes[0]?.envelope)).toContain('[shortened]');
    expect(envelopes).toHaveLength(2);
  });
});

test('a cursor survives the service, and what is said meanwhile follows it', async () => {
  let world: World = await startWorld();
  const client = await world.profileClient();
  const held = await hold(client);
  await start(client, held, 'One');
  world.agent.last.say('yes');
  world.agent.last.complete();
  await client.event('turn.terminal');
  const ask = (of: typeof client, payload: object) =>
    of.ask('session.envelopes', payload, { session_id: held.session });
  const { last_cursor } = (await ask(client, {})).payload;
  await world.service.shutdown('test');
  const { settingsFile, stateRoot, workspace } = world;
  world = await startWorld({ settingsFile, stateRoot, workspace });
  const other = await world.profileClient();
  const again = await claim(other, held.session);
  await start(other, again, 'Two');
  world.agent.last.complete();
  await other.event('turn.terminal');
  const { payload } = await ask(other, { after: last_cursor });
  expect(payload.envelopes.map(({ envelope }: Rec) => envelope.ev.clientType ?? envelope.ev.t)).toEqual([
    'daemon',
    'cli',
    'text',
    'turn-start',
    'turn-end',
  ]);
  expect((await ask(other, { after: last_cursor, before: last_cursor })).error.code).toBe('invalid_payload');
  expect((await ask(other, { limit: 33 })).error.code).toBe('limit_exceeded');
  expect((await ask(other, { limit: 0 })).error.code).toBe('limit_exceeded');
  expect((await other.ask('session.envelopes', {}, { session_id: 'none' })).error.code).toBe(
    'session_unavailable',
  );
  await other.ask(
    'session.detach',
    {},
    { operation_id: op(), session_id: held.session, control: again.control },
  );
  await world.close();
});
