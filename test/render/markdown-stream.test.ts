import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadWantedLanguages } from '../../src/render/highlight.ts';
import { markdownRows } from '../../src/render/markdown.ts';
import { MarkdownStream } from '../../src/render/markdown-stream.ts';
import { rowText } from '../../src/render/row.ts';
import { RICH } from './rich-markdown.ts';
import { hostileText } from './text-arbitraries.ts';

/** The picture after these deltas, looked at after every one of them. */
function streamed(deltas: readonly string[], width: number) {
  const stream = new MarkdownStream();
  for (const delta of deltas) {
    stream.append(delta);
    stream.rows(width);
  }
  return stream.rows(width);
}

function cutAt(source: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (source.length + 1)).sort((a, b) => a - b), source.length];
  return places.slice(1).map((place, index) => source.slice(places[index], place));
}

describe.each([80, 30])('a rich document at %i columns', (width) => {
  test('byte by byte', () => {
    expect(streamed(RICH.split(''), width)).toEqual(markdownRows(RICH, width));
  });

  test('in random cuts', () => {
    const whole = markdownRows(RICH, width);
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 50, maxLength: 50 }), (cuts) => {
        expect(streamed(cutAt(RICH, cuts), width)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

test('any Markdown, any cut', () => {
  const lines = fc.array(
    fc.oneof(
      { weight: 1, arbitrary: hostileText },
      {
        weight: 8,
        arbitrary: fc.constantFrom(
          '',
          '',
          '',
          ' ',
          'text',
          '  text',
          '    code',
          '\tcode',
          '- a',
          '-',
          '  - b',
          '* c',
          '1. d',
          '2. e',
          '2',
          '3) f',
          '   para',
          '> q',
          '>',
          '> - l',
          '# h',
          '---',
          '===',
          '```',
          '```js',
          '~~~',
          '   ```',
          '<div>',
          '</div>',
          '<pre>',
          '</pre>',
          '<!--',
          '-->',
          '|a|b|',
          '|-|-|',
          'a|b',
          '-|-',
          '[x]: y',
          '[x]',
          '**b',
          'c**',
          '`d',
          '- [ ] t',
        ),
      },
    ),
    { maxLength: 14 },
  );
  fc.assert(
    fc.property(lines, fc.array(fc.nat(), { maxLength: 20 }), (parts, cuts) => {
      const source = parts.join('\n');
      expect(streamed(cutAt(source, cuts), 30)).toEqual(markdownRows(source, 30));
      expect(streamed(source.split(''), 30)).toEqual(markdownRows(source, 30));
    }),
    { numRuns: 1500 },
  );
});

test('another width and new grammars redraw settled blocks', async () => {
  const stream = new MarkdownStream();
  stream.append(RICH);
  const plain = stream.rows(80);
  expect(stream.rows(80)).toBe(plain);
  expect(stream.rows(30)).toEqual(markdownRows(RICH, 30));
  expect(await loadWantedLanguages()).toBe(true);
  expect(stream.rows(80)).toEqual(markdownRows(RICH, 80));
  expect(stream.rows(80)).not.toEqual(plain);
  expect(stream.rows(80).map(rowText)).toEqual(plain.map(rowText));
});

test('settled blocks are not drawn again: their rows stay the same objects', () => {
  const stream = new MarkdownStream();
  stream.append('A paragraph, **bold** and `code`.\n\n- one\n- two\n\n'.repeat(100));
  stream.append('tail\n');
  const before = stream.rows(80);
  stream.append('more');
  const after = stream.rows(80);
  const redrawn = after.filter((row, index) => row !== before[index]);
  expect(redrawn.map(rowText)).toEqual(['tail', 'more']);
});
