/** Strict, bounded JSON (PROTOCOL.md, "Records", "Limits"). */

import fc from 'fast-check';
import { visit } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { type Json, PAYLOAD_BOUNDS, parseStrict, withinBounds } from '../../src/wire/json.ts';
import { MAX_PARSE_DEPTH } from '../../src/wire/limits.ts';

const bytesOf = (text: string) => Buffer.from(text, 'utf8');
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const refusal = (reason: string) => ({ ok: false, reason });

const AMBIGUOUS = 'ambiguous in its member names';

describe('parseStrict', () => {
  test.each<[name: string, text: string, expected: unknown]>([
    ['an object', '{"a":1}', { ok: true, value: { a: 1 } }],
    ['white space and a CR at the end', ' {"a" : 1 }\r', { ok: true, value: { a: 1 } }],
    ['colons inside strings', '{"a:b":"c:d"}', { ok: true, value: { 'a:b': 'c:d' } }],
    [
      'quotes and backslashes',
      '{"a\\"":"\\\\","b":"\\\\\\":"}',
      { ok: true, value: { 'a"': '\\', b: '\\":' } },
    ],
    ['the same name in two objects', '[{"a":1},{"a":2}]', { ok: true, value: [{ a: 1 }, { a: 2 }] }],
    ['a name inside the value of that name', '{"a":{"a":1}}', { ok: true, value: { a: { a: 1 } } }],
    ['line separators in a string', '"\u2028\u2029"', { ok: true, value: '\u2028\u2029' }],
    ['a surrogate pair as escapes', '"\\ud83d\\ude00"', { ok: true, value: '😀' }],
    ['an empty line', '', refusal('not valid JSON')],
    ['a cut record', '{"a":', refusal('not valid JSON')],
    ['a trailing comma', '{"a":1,}', refusal('not valid JSON')],
    ['two values', '{} {}', refusal('not valid JSON')],
    ['a byte order mark', '\ufeff{}', refusal('not valid JSON')],
    ['a duplicate name', '{"a":1,"a":1}', refusal('duplicate member name')],
    ['a duplicate name behind an escape', '{"a":1,"\\u0061":2}', refusal('duplicate member name')],
    ['a duplicate name deep inside', '[[{"x":[{"b":1,"b":2}]}]]', refusal('duplicate member name')],
    ['a lone surrogate', '"\\ud800"', refusal('lone surrogate')],
    ['a lone surrogate in a name', '{"\\udc00":1}', refusal('lone surrogate')],
    ['a number beyond a double', '[1e400]', refusal('number out of range')],
    ['too deep', nested(MAX_PARSE_DEPTH + 1), refusal('nested too deeply')],
  ])('%s', (_name, text, expected) => {
    expect(parseStrict(bytesOf(text))).toEqual(expected);
  });

  test('the deepest record that is JSON to us', () => {
    expect(parseStrict(bytesOf(nested(MAX_PARSE_DEPTH))).ok).toBe(true);
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut four-byte letter', [0x22, 0xf0, 0x9f, 0x98]],
  ])('%s is not UTF-8', (_name, bytes) => {
    expect(parseStrict(Uint8Array.from(bytes))).toEqual(refusal('not valid UTF-8'));
  });

  test('a name that JavaScript knows is a plain member', () => {
    const parsed = parseStrict(bytesOf('{"__proto__":{"a":1},"constructor":2}'));
    expect(parsed.ok && Object.keys(Object(parsed.value))).toEqual(['__proto__', 'constructor']);
  });

  test('gives back what was written', () => {
    const values = fc.jsonValue({ stringUnit: 'grapheme' });
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        const misread = JSON.stringify(JSON.parse(text)) !== text;
        expect(parseStrict(bytesOf(text))).toEqual(
          misread ? expect.objectContaining({ ok: false }) : { ok: true, value: JSON.parse(text) },
        );
      }),
    );
  });

  test('finds duplicates exactly where another parser finds them', () => {
    fc.assert(
      fc.property(writtenJson, (text) => {
        const { names, duplicates } = namesIn(text);
        const parsed = parseStrict(bytesOf(text));
        if (duplicates) expect(parsed.ok).toBe(false);
        // Whether the runtime misreads a name depends on what it has read before: then, and only then, it is refused.
        else if (parsed.ok) expect(keptIn(parsed.value).toSorted()).toEqual(names.toSorted());
        else {
          expect(text).toContain('\\');
          expect([AMBIGUOUS, 'duplicate member name']).toContain(parsed.reason);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('never hands over a name that the runtime has misread', () => {
    JSON.parse('{"first":1,"\\\\":1}');
    const text = '{"first":1,"\\u0062":2}';
    const parsed = parseStrict(bytesOf(text));
    expect(parsed.ok ? parsed.value : parsed.reason).toEqual(
      Object.hasOwn(JSON.parse(text), 'b') ? { first: 1, b: 2 } : AMBIGUOUS,
    );
    expect(parseStrict(bytesOf('{"first":1,"\\u0066irst":2}')).ok).toBe(false);
    expect(parseStrict(bytesOf('{"first":1,"\\\\":2}'))).toEqual({ ok: true, value: { first: 1, '\\': 2 } });
  });
});

/** Member names from a small set, so that they meet; some with escapes, some with the letters that fool counters. */
const writtenName = fc.constantFrom(
  '"a"',
  '"\\u0061"',
  '"b"',
  '"a:"',
  '"\\""',
  '"\\\\"',
  '"__proto__"',
  '""',
);
const writtenJson = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('1', 'null', '":"', '"\\":\\""', '"{"', '"\\\\"'),
    fc
      .array(fc.tuple(writtenName, tie('value')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${name} : ${value}`).join(',')}}`),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  ),
})).value;

/** What another parser says about the names in a text. */
function namesIn(text: string): { names: string[]; duplicates: boolean } {
  const open: Set<string>[] = [];
  const names: string[] = [];
  let duplicates = false;
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectProperty: (name) => {
      duplicates ||= open.at(-1)?.has(name) ?? false;
      open.at(-1)?.add(name);
      names.push(name);
    },
    onObjectEnd: () => {
      open.pop();
    },
  });
  return { names, duplicates };
}

function keptIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(keptIn)];
}

describe('withinBounds', () => {
  const array = (length: number): Json => Array.from({ length }, () => 0);
  const object = (length: number): Json =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 0]));
  const parsed = (text: string): Json => JSON.parse(text);
  test.each<[name: string, value: Json, inside: boolean]>([
    ['33 arrays', parsed(nested(33)), true],
    ['34 arrays', parsed(nested(34)), false],
    ['a number in 32 arrays', parsed(nested(32).replace('[]', '[1]')), true],
    ['a number in 33 arrays', parsed(nested(33).replace('[]', '[1]')), false],
    ['64 items', array(64), true],
    ['65 items', array(65), false],
    ['64 members', object(64), true],
    ['65 members', object(65), false],
    ['16384 bytes', 'ä'.repeat(8_192), true],
    ['16385 bytes', `${'ä'.repeat(8_192)}a`, false],
    ['a name of 16385 bytes', { ['k'.repeat(16_385)]: 0 }, false],
    ['a long string deep inside', [{ a: ['a'.repeat(16_385)] }], false],
  ])('%s', (_name, value, inside) => {
    expect(withinBounds(value, PAYLOAD_BOUNDS)).toBe(inside);
  });
});
