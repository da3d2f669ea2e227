import { expect, test, vi } from 'vitest';
import { type EventRecord, OutQueue } from '../../../src/service/endpoint/out-queue.ts';
import { ManualClock } from '../manual-clock.ts';

function queue() {
  const written: Buffer[] = [];
  let release: (() => void)[] = [];
  let stalled = false;
  const clock = new ManualClock();
  const port = {
    write: (bytes: Buffer, done: () => void) => {
      written.push(bytes);
      release.push(done);
    },
    stalled: () => {
      stalled = true;
    },
  };
  const drain = (): void => {
    for (let next = release.shift(); next !== undefined; next = release.shift()) next();
    release = [];
  };
  return { out: new OutQueue(port, clock), clock, drain, written, isStalled: () => stalled };
}

function event(name: string, sequence: number, content: object): EventRecord {
  return {
    protocol_version: 2,
    kind: 'event',
    instance_id: 'i',
    connection_id: 'c',
    event_id: `e${sequence}`,
    session_id: 's',
    operation_id: 'o',
    grant_generation: 1,
    live_sequence: sequence + 1,
    event: name,
    payload: { turn_id: 't', sequence, ...content },
  };
}

test('a slow reader gets every text, in fewer deltas', () => {
  const { drain, out, written } = queue();
  for (let index = 1; index <= 2_000; index += 1)
    expect(out.pushEvent(event('turn.assistant_delta', index, { text: `${index} ` }))).toBe('queued');
  drain();
  const records = written.map((bytes) => JSON.parse(bytes.toString()));
  expect(records.length).toBeLessThan(12);
  expect(records.map((record) => record.payload.text).join('')).toBe(
    Array.from({ length: 2_000 }, (_, index) => `${index + 1} `).join(''),
  );
  const sequences = records.map((record) => record.payload.sequence);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(records.at(-1)).toMatchObject({ live_sequence: 2_001, event_id: 'e2000' });
});

test('joining costs what the new delta costs, however long the text has become', () => {
  const { drain, out, written } = queue();
  const stringify = JSON.stringify;
  let encoded = 0;
  const spy = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    const text = stringify(value);
    encoded += text.length;
    return text;
  });
  try {
    for (let index = 0; index < 16_000; index += 1)
      out.pushEvent(event('turn.assistant_delta', index, { text: 'é' }));
    drain();
  } finally {
    spy.mockRestore();
  }
  const records = written.map((bytes) => JSON.parse(bytes.toString()));
  expect(records.map(({ payload }) => payload.text).join('')).toBe('é'.repeat(16_000));
  // A record of one letter has about 220 bytes, and is looked at twice.
  expect(encoded).toBeLessThan(16_000 * 500);
});

test.each([
  ['raw bytes', 'é'.repeat(2_000)],
  ['escapes', '\u0001'.repeat(1_000)],
])('a joined delta keeps the bounds of a string and of a payload: %s', (_name, text) => {
  const { drain, out, written } = queue();
  for (let index = 0; index < 40; index += 1)
    expect(out.pushEvent(event('turn.assistant_delta', index, { text }))).toBe('queued');
  drain();
  const payloads = written.map((bytes) => JSON.parse(bytes.toString()).payload);
  expect(payloads.map((payload) => payload.text).join('')).toBe(text.repeat(40));
  expect(payloads.length).toBeLessThan(25);
  for (const payload of payloads) {
    expect(Buffer.byteLength(payload.text)).toBeLessThanOrEqual(16_384);
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(32_768);
  }
});

test('joined deltas count towards what may wait', () => {
  const { drain, out, written } = queue();
  const text = 'x'.repeat(4_096);
  let pushed = 0;
  while (out.pushEvent(event('turn.assistant_delta', pushed, { text })) === 'queued') pushed += 1;
  expect(pushed).toBeGreaterThan(60);
  drain();
  const bytes = written.reduce((sum, record) => sum + record.length, 0);
  expect(bytes).toBeLessThanOrEqual(262_144 + 5_000);
});

test('activity is left out before anything else is', () => {
  const { out } = queue();
  const pushes = Array.from({ length: 60 }, (_, index) => out.pushEvent(event('turn.activity', index, {})));
  expect(pushes.filter((push) => push === 'dropped')).toHaveLength(27);
  expect(out.pushEvent(event('turn.terminal', 99, {}))).toBe('queued');
});

test('65 records that must arrive overflow', () => {
  const { out } = queue();
  const pushes = Array.from({ length: 66 }, (_, index) => out.pushEvent(event('turn.terminal', index, {})));
  expect([pushes[64], pushes[65]]).toEqual(['queued', 'overflow']);
});

test('a record that is not taken for five seconds is a stall', () => {
  const { clock, drain, isStalled, out } = queue();
  out.pushEvent(event('turn.terminal', 1, {}));
  clock.advance(4_999);
  drain();
  clock.advance(5_000);
  expect(isStalled()).toBe(false);
  out.pushEvent(event('turn.terminal', 2, {}));
  clock.advance(5_000);
  expect(isStalled()).toBe(true);
});

test('deltas of different envelopes and voices stay apart, and an envelope replaces its own', () => {
  const { drain, out, written } = queue();
  const filler = 9;
  for (let index = 1; index <= filler; index += 1) out.pushEvent(event('turn.terminal', index, {}));
  const say = (sequence: number, envelope_id: string, more: object = {}) =>
    out.pushEvent(event('turn.assistant_delta', sequence, { text: `${sequence} `, envelope_id, ...more }));
  say(10, 'a');
  say(11, 'a');
  say(12, 'a', { thinking: true });
  say(13, 'a', { subagent: 's1' });
  say(14, 'b');
  say(15, 'b');
  const placed = { cursor: 'c', envelope: { id: 'b', ev: { t: 'text', text: '14 15 ' } } };
  expect(out.pushEvent(event('session.envelope', 16, placed))).toBe('queued');
  drain();
  const records = written.slice(filler).map((bytes) => JSON.parse(bytes.toString()));
  expect(records.map(({ payload }) => payload.text ?? payload.envelope.ev.text)).toEqual([
    '10 11 ',
    '12 ',
    '13 ',
    '14 15 ',
  ]);
});

test('says when there is room again, and when there never will be', async () => {
  const { drain, out } = queue();
  expect(out.whenRoomy()).toBeNull();
  for (let index = 0; index < 40; index += 1) out.pushEvent(event('turn.terminal', index, {}));
  const roomy = out.whenRoomy();
  expect(roomy).not.toBeNull();
  drain();
  await roomy;
  for (let index = 0; index < 40; index += 1) out.pushEvent(event('turn.terminal', index, {}));
  const closed = out.whenRoomy();
  out.close();
  await closed;
  expect(out.whenRoomy()).toBeNull();
});
