/** Whatever bytes a service sends, the client keeps its head (PROTOCOL.md, "Records", "Limits"). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEvent, decodeRecord } from '../../src/client/decode.ts';
import { outputBounds } from '../../src/client/output-bounds.ts';
import { LineFramer } from '../../src/wire/framing.ts';
import { encodedBytes, encodeRecord, PAYLOAD_BOUNDS, withinBounds } from '../../src/wire/json.ts';
import { LIMITS } from '../../src/wire/limits.ts';
import { isMethod, OPERATIONS } from '../../src/wire/operations.ts';
import { isHello, type JsonObject, readTrace } from '../support/traces.ts';

const RECORDS: readonly JsonObject[] = [
  '03-turn-completed-with-tool',
  '05-disconnect-and-reclaim',
  '06-persistence-failed',
  '08-auth-login',
  '09-operation-identity-and-lookup',
  '12-config-and-catalog',
].flatMap((name) =>
  readTrace(name)
    .filter(({ dir, record }) => dir === 's2c' && !isHello(record))
    .map(({ record }) => record),
);
const SMALL = outputBounds({ ...LIMITS, max_string_bytes: 40, max_id_bytes: 36, max_object_fields: 9 });

/** All that a violation may say: nothing of what came. */
const WORDS: ReadonlySet<string> = new Set([
  'a record is too long',
  'a record cannot be read (not valid UTF-8)',
  'a record cannot be read (not valid JSON)',
  'a record cannot be read (nested too deeply)',
  'a record cannot be read (lone surrogate)',
  'a record cannot be read (number out of range)',
  'a record cannot be read (duplicate member name)',
  'a record cannot be read (ambiguous in its member names)',
  'a record passes a limit',
  'a record is no valid response or event',
  'a payload passes the size limit',
  'a payload passes a limit that the service has set itself',
  'an ID passes a limit that the service has set itself',
]);

const record = fc.constantFrom(...RECORDS);
const bytesOf = (value: unknown) => encodeRecord(value).subarray(0, -1);

/** Texts that are put in the place of a value of a record; not all of them are JSON. */
const hostileValue = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.integer({ min: 1, max: 300 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 300 }).map((depth) => '{"a":'.repeat(depth)),
  fc.integer({ min: 0, max: 70_000 }).map((length) => JSON.stringify('a'.repeat(length))),
  fc.integer({ min: 0, max: 70 }).map((length) => JSON.stringify(Array(length).fill(0))),
  fc.constant(JSON.stringify(Array(4).fill('a'.repeat(9_000)))),
  fc.constantFrom('1e400', '-1e999', '1e20', '9007199254740993', '-0', '0.1e-400', '01', '1.', 'NaN', '-'),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x"', '"\ud83d\ude00"', '"', '\u0000'),
  fc.constantFrom('{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"__proto__":{"a":1}}', '{"\\\\":1}', '[,]', ''),
);

/** A record whose value at some place is another text. */
const changedValue = fc.tuple(record, fc.nat(), hostileValue).map(([{ ...value }, place, text]) => {
  const written = JSON.stringify(value);
  const values = [...written.matchAll(/(?<=[:[,])("[^"]*"|[\d.]+|true|false|null)(?=[,\]}])/g)];
  const found = values[place % values.length];
  const start = found?.index ?? 0;
  return Buffer.from(written.slice(0, start) + text + written.slice(start + (found?.[0].length ?? 0)));
});

/** A record with a member written twice, or with one more. */
const changedMember = fc
  .tuple(record, fc.constantFrom(...Object.keys(RECORDS[0] ?? {}), '__proto__', 'future'), hostileValue)
  .map(([value, name, text]) => Buffer.from(`{"${name}":${text},${JSON.stringify(value).slice(1)}`));

/** A record with some bytes in the place of others. */
const changedBytes = fc
  .tuple(record, fc.nat(), fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 20 }))
  .map(([value, place, gone, come]) => {
    const bytes = bytesOf(value);
    const start = place % bytes.length;
    return Buffer.concat([bytes.subarray(0, start), come, bytes.subarray(start + gone)]);
  });

const hostile = fc.oneof(
  { weight: 4, arbitrary: changedValue },
  { weight: 2, arbitrary: changedMember },
  { weight: 3, arbitrary: changedBytes },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
  { weight: 1, arbitrary: record.map(bytesOf) },
);

/** What is said of hostile records; throws when something else is. */
function verdicts(parameters: fc.Parameters<[Uint8Array, boolean]>): ReadonlySet<string> {
  const seen = new Set<string>();
  fc.assert(
    fc.property(hostile, fc.boolean(), (bytes, isSmall) => {
      const decoded = decodeRecord(bytes, isSmall ? SMALL : undefined);
      if (decoded.kind === 'violation') {
        seen.add(decoded.detail);
        expect(WORDS).toContain(decoded.detail);
        return;
      }
      seen.add(decoded.record.kind);
      if (decoded.record.kind === 'event') expect(decodeEvent(decoded.record)).toBeTypeOf('object');
      else if (decoded.record.method !== null && isMethod(decoded.record.method))
        OPERATIONS[decoded.record.method].result.safeParse(decoded.record.payload);
    }),
    parameters,
  );
  return seen;
}

test('10,000 records of every kind are taken or refused in fixed words, and nothing throws', () => {
  const seen = verdicts({ numRuns: 10_000, seed: 20_310_304 });
  // The records were hostile in every way, and not in every case. Only some runtimes misread names.
  const all = new Set([...seen, 'a record cannot be read (ambiguous in its member names)']);
  expect([...all].toSorted()).toEqual([...WORDS, 'response', 'event'].toSorted());
});

test('so are 2,000 others each time', () => {
  expect(verdicts({ numRuns: 2_000 }).size).toBeGreaterThan(5);
});

test('an endless line of 50 MB keeps no memory', () => {
  const framer = new LineFramer(LIMITS.max_record_bytes);
  const chunk = Buffer.alloc(50_000, 'a');
  const before = process.memoryUsage().arrayBuffers;
  let longest = 0;
  let frames = 0;
  for (let sent = 0; sent < 50_000_000; sent += chunk.length) {
    frames += framer.push(chunk).length;
    longest = Math.max(longest, framer.pendingBytes);
  }
  expect(frames).toBe(1);
  expect(longest).toBeLessThanOrEqual(LIMITS.max_record_bytes);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});

const value = fc
  .oneof(
    { weight: 8, arbitrary: fc.jsonValue({ stringUnit: 'binary' }) },
    fc.string({ unit: 'binary', minLength: 2_000, maxLength: 4_000 }),
    fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 50, maxLength: 64 }),
    fc.constantFrom(...RECORDS),
  )
  .filter((made) => withinBounds(plain(made), PAYLOAD_BOUNDS))
  .filter((made) => encodedBytes(made) <= LIMITS.max_payload_bytes);

function plain(made: unknown) {
  return JSON.parse(JSON.stringify(made));
}

test('any payload within bounds comes through encoding, framing and decoding as it was', () => {
  const [head = {}] = RECORDS.filter(({ kind, error }) => kind === 'response' && error === null);
  fc.assert(
    fc.property(value, fc.array(fc.nat(), { maxLength: 6 }), (payload, cuts) => {
      const bytes = encodeRecord({ ...head, payload });
      const places = cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b);
      const framer = new LineFramer(LIMITS.max_record_bytes);
      const frames = [...places, bytes.length].flatMap((end, index) =>
        framer.push(bytes.subarray(places[index - 1] ?? 0, end)),
      );
      const [frame] = frames;
      if (frames.length !== 1 || frame?.kind !== 'line') throw new Error('not one line');
      const decoded = decodeRecord(frame.bytes);
      // Some versions of the runtime misread certain names: those are refused.
      const text = JSON.stringify(payload);
      if (JSON.stringify(JSON.parse(text)) !== text) expect(decoded.kind).toBe('violation');
      else expect(decoded).toMatchObject({ kind: 'record', record: { payload: plain(payload) } });
      if (decoded.kind === 'record') expect(JSON.stringify(decoded.record.payload)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});
