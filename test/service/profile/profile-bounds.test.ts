import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  boundedArgs,
  fitsText,
  piecesOf,
  startOf,
  TEXT_BOUNDS,
  wireEnvelopeOf,
} from '../../../src/service/profile/envelope-bounds.ts';
import { fileKind } from '../../../src/service/profile/file-kind.ts';
import { encodedBytes, PAYLOAD_BOUNDS, withinBounds } from '../../../src/wire/json.ts';
import { claim, hold, type Rec, start, startWorld } from '../harness.ts';

const anything = fc.string({ unit: 'binary', maxLength: 400 });
const bounds = fc.record({
  raw: fc.integer({ min: 24, max: 80 }),
  encoded: fc.integer({ min: 48, max: 120 }),
});

test('a text in pieces is the same text, each piece within bounds', () => {
  fc.assert(
    fc.property(anything, bounds, (text, limits) => {
      const pieces = piecesOf(text, limits);
      expect(pieces.join('')).toBe(text.toWellFormed());
      for (const piece of pieces) expect(fitsText(piece, limits) && piece.isWellFormed()).toBe(true);
      if (text !== '') expect(pieces).not.toContain('');
    }),
  );
});

test('pieces end behind a line where one is near, and never within a letter', () => {
  const limits = { raw: 40, encoded: 60 };
  expect(piecesOf(`${'x'.repeat(30)}\n${'y'.repeat(30)}`, limits)).toEqual([
    `${'x'.repeat(30)}\n`,
    'y'.repeat(30),
  ]);
  const family = '👩‍👩‍👧‍👦';
  expect(piecesOf(family.repeat(4), limits)).toEqual([family, family, family, family]);
  expect(startOf('aé', { raw: 2, encoded: 9 })).toBe('a');
});

test('arguments and envelopes keep every bound, whatever they hold', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything({ maxDepth: 40 }), { maxKeys: 90 }), (args) => {
      const made = boundedArgs(args);
      expect(encodedBytes(made)).toBeLessThanOrEqual(20_480);
      expect(withinBounds(made, { ...PAYLOAD_BOUNDS, depth: 26 })).toBe(true);
    }),
  );
  const head = { id: 'abc', time: 1, role: 'agent', turn: 'abc' };
  const large = { ...head, ev: { t: 'hologram', rays: Array(500).fill('\ud800"'.repeat(90)) } };
  const made = wireEnvelopeOf(large);
  expect(made).toMatchObject({ isWhole: false, envelope: { ...head, ev: { t: 'hologram' } } });
  expect(encodedBytes(made?.envelope)).toBeLessThanOrEqual(24_576);
  expect(JSON.stringify(made?.envelope)).not.toContain('\\ud8');
  expect(wireEnvelopeOf({ ...head, subagent: 'x'.repeat(30_000), ev: { t: 'turn-start' } })).toBeNull();
});

test('a text bound leaves room for the rest of its envelope', () => {
  const [piece] = piecesOf('\u0001'.repeat(20_000), TEXT_BOUNDS);
  const envelope = {
    id: 'a'.repeat(32),
    time: 1e15,
    role: 'user',
    turn: 'a'.repeat(32),
    ev: { t: 'text', text: piece },
  };
  expect(wireEnvelopeOf(envelope)?.isWhole).toBe(true);
});

test.each([
  ['47494638396103000500', 'x', 'image/gif', { width: 3, height: 5 }],
  ['ffd8ffe000040000ffc0001108000500030300', 'x', 'image/jpeg', { width: 3, height: 5 }],
  ['ffd8ff', 'x', 'image/jpeg', null],
  [
    `52494646000000005745425056503858${'00'.repeat(8)}020000040000`,
    'x',
    'image/webp',
    { width: 3, height: 5 },
  ],
  ['255044462d312e34', 'x', 'application/pdf', null],
  ['7b7d', 'a.JSON', 'application/json', null],
  ['6869', 'a.unknown', 'text/plain', null],
  ['6800', 'a.unknown', 'application/octet-stream', null],
])('%s named %s is %s', (hex, name, mime, image) =>
  expect(fileKind(Buffer.from(hex, 'hex'), name)).toEqual({ mime, image }),
);

test('four megabytes at once reach a reader, and not one character more', async () => {
  const world = await startWorld();
  const client = await world.profileClient();
  const held = await hold(client);
  const piece = `${'0123456789abcde\n'.repeat(512)}`;
  world.agent.script = (turn) => {
    for (let index = 0; index < 512; index += 1) turn.say(piece);
    turn.say('one more');
  };
  await start(client, held, 'Everything');
  const { payload } = await client.event('turn.terminal');
  expect(payload).toMatchObject({
    status: 'failed',
    error: { code: 'output_limit_exceeded' },
    text_in_envelopes: true,
    assistant_text: '',
  });
  const said = client.events
    .filter((event) => event.event === 'session.envelope')
    .map(({ payload: { envelope } }: Rec) => (envelope.role === 'agent' ? (envelope.ev.text ?? '') : ''));
  expect(said.join('')).toBe(piece.repeat(512));
  client.socket.destroy();
  const other = await world.profileClient();
  await other.until(async () => (await other.ask('session.active')).payload.sessions.length === 0);
  expect((await claim(other, held.session)).claim.snapshot.terminal.text_in_envelopes).toBe(true);
  await world.close();
});
