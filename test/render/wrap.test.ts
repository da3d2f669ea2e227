import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { type Row, rowText, type Span, span } from '../../src/render/row.ts';
import { sanitise } from '../../src/render/sanitise.ts';
import { breakSpans, textRows, wrapSpans } from '../../src/render/wrap.ts';
import { niceText } from './text-arbitraries.ts';

function texts(rows: readonly Row[]): string[] {
  return rows.map(rowText);
}

describe('wrapSpans', () => {
  test.each([
    ['one two three', 8, ['one two', 'three']],
    ['one two', 3, ['one', 'two']],
    ['trailing   ', 20, ['trailing']],
    ['  kept indent', 20, ['  kept indent']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['ab abcdefghij', 5, ['ab ab', 'cdefg', 'hij']],
    ['漢字漢字', 5, ['漢字', '漢字']],
    ['a漢b', 2, ['a', '漢', 'b']],
    ['a\nb\n\nc', 10, ['a', 'b', '', 'c']],
    ['a\tb', 10, ['a   b']],
    ['', 10, ['']],
  ])('%j at %i', (text, width, rows) => {
    expect(texts(wrapSpans([span(text, 'text')], width))).toEqual(rows);
  });

  test('keeps styles, joins neighbours, and does not break a word of two styles', () => {
    expect(wrapSpans([span('one bo', 'text'), span('ld', 'strong'), span(' x', 'text')], 6)).toEqual([
      { spans: [span('one', 'text')], width: 3 },
      { spans: [span('bo', 'text'), span('ld', 'strong'), span(' x', 'text')], width: 6 },
    ]);
  });

  test('hangs the rest under the text', () => {
    const prefixes = { first: [span('5. ', 'marker')], rest: [span('   ', 'text')] };
    expect(texts(wrapSpans([span('one two three', 'text')], 10, prefixes))).toEqual([
      '5. one two',
      '   three',
    ]);
  });

  const spans = fc.array(
    fc.record({ text: niceText.map(sanitise), style: fc.constantFrom('text', 'strong') }),
    { maxLength: 4 },
  );
  const prefix = fc.constantFrom('', '• ', '  ', '漢 ', '          ');

  test('loses no text and is never too wide', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 2, max: 40 }), prefix, prefix, (given, width, first, rest) => {
        const parts: Span[] = given;
        const rows = wrapSpans(parts, width, { first: [span(first, 'marker')], rest: [span(rest, 'dim')] });
        for (const row of rows) {
          expect(stringWidth(rowText(row))).toBeLessThanOrEqual(width);
          expect(row.width).toBeLessThanOrEqual(width);
        }
        const shown = rows
          .flatMap((row) => row.spans)
          .filter((part) => part.style === 'text' || part.style === 'strong')
          .map((part) => part.text)
          .join('');
        const source = parts.map((part) => part.text).join('');
        expect(shown.replace(/[ \t\n]/g, '')).toBe(source.replace(/[ \t\n]/g, ''));
      }),
    );
  });
});

test('breakSpans keeps every space', () => {
  fc.assert(
    fc.property(niceText, fc.integer({ min: 2, max: 40 }), (text, width) => {
      const clean = sanitise(text).replace(/\t/g, ' ');
      const rows = breakSpans([span(clean, 'code')], width);
      for (const row of rows) expect(stringWidth(rowText(row))).toBeLessThanOrEqual(width);
      expect(texts(rows).join('')).toBe(clean.replace(/\n/g, ''));
    }),
  );
});

test('textRows makes foreign text inert', () => {
  expect(texts(textRows('a\u001b[2Jb\tc\r\nd', 'dim', 20))).toEqual(['ab  c', 'd']);
});
