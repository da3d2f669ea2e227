/** Records are cut at LF and nowhere else (PROTOCOL.md, "Records"; FC-20). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Frame, LineFramer } from '../../src/wire/framing.ts';
import { parseStrict } from '../../src/wire/json.ts';
import { LIMITS } from '../../src/wire/limits.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const shown = (frames: readonly Frame[]) =>
  frames.map((frame) =>
    frame.kind === 'line' ? `${frame.offset}:${utf8.decode(frame.bytes)}` : `${frame.offset}!`,
  );

function framesOf(chunks: readonly Uint8Array[], limit: number = LIMITS.max_record_bytes): Frame[] {
  const framer = new LineFramer(limit);
  return chunks.flatMap((chunk) => framer.push(chunk));
}

describe('LineFramer', () => {
  test.each<[name: string, text: string, lines: string[]]>([
    ['one line', 'a\n', ['0:a']],
    ['two lines', 'a\nbc\n', ['0:a', '2:bc']],
    ['an unfinished line is none', 'a\nb', ['0:a']],
    ['CR LF', 'a\r\nb\n', ['0:a', '3:b']],
    ['one CR only is taken', 'a\r\r\nb\n', ['0:a\r', '4:b']],
    ['a CR inside stays', 'a\rb\n', ['0:a\rb']],
    ['empty lines', '\n\r\n\n', ['0:', '1:', '3:']],
    ['separators of Unicode are text', 'a\u2028\u2029\u0085b\n', ['0:a\u2028\u2029\u0085b']],
    ['a NUL is text', 'a\0b\n', ['0:a\0b']],
  ])('%s', (_name, text, lines) => {
    expect(shown(framesOf([Buffer.from(text)]))).toEqual(lines);
  });

  test.each<[name: string, text: string, lines: string[]]>([
    ['one byte under', 'abc\nx\n', ['0:abc', '4:x']],
    ['exactly the limit', 'abcd\nx\n', ['0:abcd', '5:x']],
    ['one byte over', 'x\nabcde\nx\n', ['0:x', '2!']],
    ['over, without an LF', 'abcde', ['0!']],
    ['a CR counts', 'abcd\r\n', ['0!']],
  ])('a limit of 4: %s', (_name, text, lines) => {
    expect(shown(framesOf([Buffer.from(text)], 4))).toEqual(lines);
    expect(shown(framesOf(byteByByte(Buffer.from(text)), 4))).toEqual(lines);
  });

  test('however a stream is cut, the lines are the same', () => {
    const stream = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '😀', '\u2028', '{', '"') });
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 24 }),
        (text, cuts, limit) => {
          const whole = Buffer.from(text);
          const places = [
            0,
            ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b),
            whole.length,
          ];
          const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
          expect(shown(framesOf(chunks, limit))).toEqual(shown(framesOf([whole], limit)));
          expect(shown(framesOf(byteByByte(whole), limit))).toEqual(shown(framesOf([whole], limit)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('never keeps more than the limit, and nothing after it broke', () => {
    const framer = new LineFramer(100);
    for (let index = 0; index < 50; index += 1) {
      framer.push(Buffer.alloc(7, 'a'));
      expect(framer.pendingBytes).toBeLessThanOrEqual(100);
    }
    expect(framer.pendingBytes).toBe(0);
    expect(framer.push(Buffer.from('\nb\n'))).toEqual([]);
  });

  test('does not keep the chunk that it was given', () => {
    const framer = new LineFramer(100);
    const chunk = Buffer.from('abc');
    framer.push(chunk);
    chunk.fill('x');
    expect(shown(framer.push(Buffer.from('d\n')))).toEqual(['0:abcd']);
  });
});

describe('FC-20: one stream, every kind of line', () => {
  const good = (text: string) => Buffer.from(`${JSON.stringify({ text })}\n`);
  const sized = (bytes: number) => Buffer.from(`"${'a'.repeat(bytes - 2)}"\n`);
  const stream = Buffer.concat([
    good('before\u2028between\u2029after'),
    good('four bytes: 😀'),
    Buffer.from('{"text":"crlf"}\r\n'),
    Buffer.from('\n'),
    Buffer.from([0x22, 0xff, 0x22, 0x0a]),
    Buffer.from('{"text":"cut\n'),
    good('after the cut one'),
    sized(LIMITS.max_record_bytes - 1),
    sized(LIMITS.max_record_bytes + 1),
    Buffer.from('{"text":"no LF"}'),
  ]);

  test.each([
    ['whole', [stream]],
    ['byte by byte', byteByByte(stream)],
  ])('%s', (_name, chunks) => {
    const outcomes = framesOf(chunks).map((frame) => {
      if (frame.kind === 'too-long') return 'too long';
      const parsed = parseStrict(frame.bytes);
      if (!parsed.ok) return parsed.reason;
      return typeof parsed.value === 'string' ? parsed.value.length : parsed.value;
    });
    expect(outcomes).toEqual([
      { text: 'before\u2028between\u2029after' },
      { text: 'four bytes: 😀' },
      { text: 'crlf' },
      'not valid JSON',
      'not valid UTF-8',
      'not valid JSON',
      { text: 'after the cut one' },
      LIMITS.max_record_bytes - 3,
      'too long',
    ]);
  });
});

function byteByByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}
