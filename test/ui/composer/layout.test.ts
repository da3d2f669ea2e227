import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  caretPlace,
  DraftLayout,
  layoutText,
  moveRowDown,
  moveRowUp,
  windowTop,
} from '../../../src/ui/composer/layout.ts';
import { bufferOf, moveTo } from '../../../src/ui/composer/text-buffer.ts';

const rowsOf = (text: string, width: number) => layoutText(text, width).map((row) => row.text);

describe('draft layout', () => {
  it.each([
    ['nothing', '', 10, ['']],
    ['lines', 'a\n\nb', 10, ['a', '', 'b']],
    ['words', 'one two three', 9, ['one two ', 'three']],
    ['a long word', 'abcdefghij', 5, ['abcd', 'efgh', 'ij']],
    ['a long word after a short one', 'a bcdefgh', 5, ['a ', 'bcde', 'fgh']],
    ['spaces at the edge', 'abcd  e', 5, ['abcd', '  e']],
    ['wide characters', '漢字漢字', 6, ['漢字', '漢字']],
    ['a tab', '\ta', 10, ['    a']],
    ['narrower than a character', '漢字', 2, ['漢', '字']],
    ['a newline at the end', 'a\n', 10, ['a', '']],
  ])('wraps %s', (_name, text, width, rows) => {
    expect(rowsOf(text, width)).toEqual(rows);
  });

  it.each([
    ['a|b', 10, { row: 0, column: 1 }],
    ['abcd|efgh', 5, { row: 1, column: 0 }],
    ['abcd|', 5, { row: 0, column: 4 }],
    ['a\n|', 5, { row: 1, column: 0 }],
    ['\t漢|', 10, { row: 0, column: 6 }],
    ['e\u0301|x', 10, { row: 0, column: 1 }],
  ])('places the caret of %j at width %i', (marked, width, place) => {
    const text = marked.replace('|', '');
    expect(caretPlace(text, layoutText(text, width), marked.indexOf('|'))).toEqual(place);
  });

  it('moves by rows, keeping the column (FC-12)', () => {
    const text = 'long line\nab\nlonger line';
    let buffer = moveTo(bufferOf(text), 7);
    const carets = [];
    for (const move of [moveRowDown, moveRowDown, moveRowUp, moveRowUp]) {
      buffer = move(buffer, 40) ?? buffer;
      carets.push(buffer.caret);
    }
    expect(carets).toEqual([12, 20, 12, 7]);
    expect(moveRowUp(buffer, 40)).toBeNull();
    expect(moveRowDown(bufferOf(text), 40)).toBeNull();
    expect(moveRowUp(bufferOf('one\ntwo'), 40)?.caret).toBe(3);
  });

  it('does not land beyond a soft wrap', () => {
    const buffer = bufferOf('ab\nabcdefgh');
    const wrapped = moveTo(buffer, buffer.text.length);
    expect(rowsOf(buffer.text, 5)).toEqual(['ab', 'abcd', 'efgh']);
    const up = moveRowUp(wrapped, 5);
    expect(up?.caret).toBe(6);
    expect(up === null ? null : moveRowDown(up, 5)?.caret).toBe(11);
  });

  it.each([
    [{ rowCount: 3, caretRow: 2, height: 10, previousTop: 0 }, 0],
    [{ rowCount: 20, caretRow: 12, height: 10, previousTop: 0 }, 3],
    [{ rowCount: 20, caretRow: 12, height: 10, previousTop: 8 }, 8],
    [{ rowCount: 20, caretRow: 2, height: 10, previousTop: 8 }, 2],
    [{ rowCount: 12, caretRow: 11, height: 10, previousTop: 9 }, 2],
  ])('window %j starts at %i', (options, top) => {
    expect(windowTop(options)).toBe(top);
  });

  it('gives the same rows when it remembers lines', () => {
    const layout = new DraftLayout();
    const steps: readonly (readonly [string, number])[] = [
      ['one two three\none two three', 9],
      ['one two three\nx one two three', 9],
      ['one two three\nx one two three', 6],
      ['', 6],
    ];
    for (const [text, width] of steps) expect(layout.rows(text, width)).toEqual(layoutText(text, width));
  });

  it('covers the text, fits the width, and finds every caret', () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', ' ', '\n', '漢', '\t', 'e\u0301', '\u{1f44d}\u{1f3fd}'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 3, max: 30 }), (raw, width) => {
        const { text } = bufferOf(raw);
        const rows = layoutText(text, width);
        let end = 0;
        for (const [index, row] of rows.entries()) {
          const gap = text.slice(end, row.start);
          expect(index === 0 ? [''] : ['', '\n']).toContain(gap);
          end = row.end;
          expect(row.cells).toBeLessThanOrEqual(Math.max(4, width - 1));
          expect(stringWidth(row.text)).toBe(row.cells);
          const place = caretPlace(text, rows, row.start);
          expect(place).toEqual({ row: index, column: 0 });
        }
        expect(end).toBe(text.length);
        expect(caretPlace(text, rows, text.length).row).toBe(rows.length - 1);
      }),
      { numRuns: 400 },
    );
  });
});
