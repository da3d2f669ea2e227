/** What is a record at all, and how large it may be (lifecycle: "Envelopes", "Limits"). */
import type { Json } from '../../../src/wire/json.ts';
import type { JsonObject } from '../../support/traces.ts';
import type { Script } from '../script.ts';
import { ask, askLine, bytes, ends, finish, pause, settle, welcome } from '../steps.ts';

/** A line that is answered, and a good request behind it. */
const answered = (name: string, line: string | Uint8Array): Script => ({
  name,
  steps: [welcome(), bytes(line, 1), settle(), ...ask('session.active')],
});

/** A good request, written in another way. */
const rewritten = (name: string, line: (text: string) => string, payload: Json = {}): Script => ({
  name,
  steps: [
    welcome(),
    ...askLine('session.active', payload, (record) => line(JSON.stringify(record))),
    ...ask('session.active'),
  ],
});

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const inPayload = (name: string, payload: string): Script =>
  rewritten(`payload: ${name}`, (text) => text.replace('"payload":{}', `"payload":${payload}`));
const padded = (record: JsonObject, size: number): string => JSON.stringify(record).padEnd(size, ' ');
const binary = (...parts: readonly (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));

export const LINES: readonly Script[] = [
  answered('an empty line', '\n'),
  answered('a CR alone', '\r\n'),
  answered('blanks', '   \n'),
  answered('an open brace', '{\n'),
  answered('an array', '[]\n'),
  answered('a string', '"request"\n'),
  answered('null', 'null\n'),
  answered('a number', '1\n'),
  answered('an empty object', '{}\n'),
  answered('a number out of range', '1e400\n'),
  answered('a lone surrogate', '"\\ud800"\n'),
  answered('invalid UTF-8', binary('{"a":"', 0xff, '"}\n')),
  answered('an overlong encoding', binary('{"a":"', 0xc0, 0xaf, '"}\n')),
  answered('a surrogate in UTF-8', binary('{"a":"', 0xed, 0xa0, 0x80, '"}\n')),
  answered('a trailing comma', '{"a":1,}\n'),
  answered('a comment', '{} // well\n'),
  answered('single quotes', "{'a':1}\n"),
  answered('a control character in a string', '{"a":"\u0001"}\n'),
  answered('a byte order mark', '\ufeff{}\n'),
  answered('a duplicate name', '{"request_id":"x","request_id":"y"}\n'),
  answered('an unreadable request ID', '{"request_id":"x","kind":\n'),
  answered('only usable identities', '{"request_id":"x","session_id":"s","operation_id":"o","method":"m"}\n'),
  answered('some usable identities', '{"request_id":7,"session_id":"","operation_id":"o","method":null}\n'),
  rewritten('a CR before the LF', (text) => `${text}\r`),
  rewritten('blanks around', (text) => `  ${text}\t `),
  rewritten('other member order', (text) =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).toReversed())),
  ),
  rewritten('two records in one line', (text) => `${text}${text}`),
  rewritten('a record in an array', (text) => `[${text}]`),
  rewritten('an escaped slot name', (text) => text.replace('"kind"', '"\\u006bind"')),
  rewritten('a duplicate slot', (text) => text.replace('{', '{"kind":"request",')),
  rewritten('a duplicate slot, once escaped', (text) => text.replace('{', '{"\\u006bind":"request",')),
  rewritten('a slot named __proto__', (text) => text.replace('{', '{"__proto__":1,')),
  rewritten('U+2028 in a string', (text) => text.replace('"r1"', '"r\u20281"')),
  rewritten('a lone surrogate as request ID', (text) => text.replace('"r1"', '"\\ud800"')),
  rewritten('a surrogate pair as request ID', (text) => text.replace('"r1"', '"\\ud83d\\ude00"')),
  rewritten('NUL as request ID', (text) => text.replace('"r1"', '"\\u0000"')),
  inPayload('a duplicate member', '{"a":1,"a":2}'),
  inPayload('a duplicate member, deep', '{"a":[{"b":{"c":1,"c":1}}]}'),
  inPayload('__proto__', '{"__proto__":{}}'),
  inPayload('1e400', '{"a":1e400}'),
  inPayload('-1e400', '{"a":-1e400}'),
  inPayload('a lone surrogate', '{"a":"\\udc00"}'),
  inPayload('a lone surrogate as name', '{"\\udc00":1}'),
  inPayload('33 arrays', nested(33)),
  inPayload('34 arrays', nested(34)),
  inPayload('126 arrays', nested(126)),
  inPayload('127 arrays', nested(127)),
  inPayload('128 arrays', nested(128)),
  inPayload('32 objects', objects(32)),
  inPayload('33 objects', objects(33)),
  inPayload('126 objects', objects(126)),
  inPayload('127 objects', objects(127)),
  inPayload('an array of 64', JSON.stringify(Array.from({ length: 64 }, () => 0))),
  inPayload('an array of 65', JSON.stringify(Array.from({ length: 65 }, () => 0))),
  inPayload(
    '65 members',
    JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, 0]))),
  ),
  inPayload(
    '64 members',
    JSON.stringify(Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`m${i}`, 0]))),
  ),
  inPayload('a string of 16384 bytes', JSON.stringify({ a: 'é'.repeat(8_192) })),
  inPayload('a string of 16385 bytes', JSON.stringify({ a: `${'é'.repeat(8_192)}x` })),
  inPayload('a name of 16385 bytes', JSON.stringify({ [`${'é'.repeat(8_192)}x`]: 1 })),
  inPayload('32768 bytes', JSON.stringify({ a: 'x'.repeat(16_377), b: 'x'.repeat(16_378) })),
  inPayload('32769 bytes', JSON.stringify({ a: 'x'.repeat(16_378), b: 'x'.repeat(16_378) })),
  inPayload('too large by its escapes', JSON.stringify({ a: '"'.repeat(16_380), b: '"'.repeat(10) })),
  inPayload('large only by its escapes of letters', `{"a":"${'\\u0061'.repeat(9_000)}"}`),
  inPayload(
    'too deep and too large',
    `{"a":"${'x'.repeat(16_384)}","b":"${'x'.repeat(16_384)}","c":${nested(40)}}`,
  ),
  {
    name: 'a line of 65536 bytes',
    steps: [
      welcome(),
      ...askLine('session.active', {}, (record) => padded(record, 65_536)),
      ...ask('session.active'),
    ],
  },
  {
    name: 'a line of 65537 bytes',
    steps: [welcome(), ...askLine('session.active', {}, (record) => padded(record, 65_537)), ends()],
  },
  {
    name: 'a line of 65536 bytes with its CR',
    steps: [welcome(), ...askLine('session.active', {}, (record) => `${padded(record, 65_535)}\r`)],
  },
  {
    name: 'a line of 65537 bytes with its CR',
    steps: [welcome(), ...askLine('session.active', {}, (record) => `${padded(record, 65_536)}\r`), ends()],
  },
  { name: '65537 bytes without a line feed', steps: [welcome(), bytes('x'.repeat(65_537)), ends()] },
  {
    name: 'an answer, then a line that is too long',
    steps: [welcome(), ...ask('session.active'), bytes(`${'x'.repeat(70_000)}\n`), ends()],
  },
  {
    name: 'a record in three pieces',
    steps: [
      welcome(),
      bytes('{"request'),
      pause(30),
      bytes('_id":"x'),
      pause(30),
      bytes('"}\n', 1),
      settle(),
    ],
  },
  {
    name: 'two lines in one write',
    steps: [welcome(), bytes('{"request_id":"x"}\n{"request_id":"y"}\n', 2), settle()],
  },
  {
    name: 'a last line without its line feed',
    steps: [welcome(), bytes('{}'), finish(), ends()],
  },
];
