import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SectionRows } from '../../../src/ui/reading/pager-rows.ts';
import { niceText } from '../../render/text-arbitraries.ts';

it('a text that came in pieces has the rows of the whole, at any width', () => {
  fc.assert(
    fc.property(fc.array(niceText, { maxLength: 8 }), fc.integer({ min: 4, max: 40 }), (pieces, width) => {
      const growing = new SectionRows();
      let text = '';
      for (const piece of pieces) {
        text += piece;
        growing.of(0, text, 'text', width);
      }
      expect(growing.of(0, text, 'text', width)).toEqual(new SectionRows().of(0, text, 'text', width));
      expect(growing.of(0, text, 'text', width + 1)).toEqual(
        new SectionRows().of(0, text, 'text', width + 1),
      );
    }),
  );
});

it('texts at different places do not disturb each other', () => {
  const rows = new SectionRows();
  const first = rows.of(0, 'one\n', 'text', 10);
  rows.of(1, 'other\n', 'text', 10);
  expect(rows.of(0, 'one\n', 'text', 10)).toBe(first);
});
