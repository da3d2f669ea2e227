import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { sanitise } from '../../src/render/sanitise.ts';
import { cellWidth, expandTabs, graphemes, truncate } from '../../src/render/width.ts';
import { hostileText, niceText } from './text-arbitraries.ts';

test.each([
  ['\u6f22\u5b57', 4],
  ['\u27a1', 1],
  ['\u27a1\ufe0f', 2],
  ['e\u0301', 1],
  ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}', 2],
  ['\u{1f1eb}\u{1f1f7}', 2],
  ['\u{1f44d}\u{1f3fd}', 2],
  ['\ufeff', 0],
  ['\u200b', 0],
  ['', 0],
  ['abc', 3],
])('cellWidth(%j) is %i', (text, width) => {
  expect(cellWidth(text)).toBe(width);
});

test('cellWidth agrees with string-width on inert text', () => {
  fc.assert(
    fc.property(fc.oneof(niceText, hostileText), (text) => {
      const inert = sanitise(text);
      expect(cellWidth(inert)).toBe(stringWidth(inert));
    }),
  );
});

test('graphemes are whole characters and lose nothing', () => {
  expect([...graphemes('e\u0301漢\u{1f1eb}\u{1f1f7}')]).toEqual(['e\u0301', '漢', '\u{1f1eb}\u{1f1f7}']);
  fc.assert(
    fc.property(niceText, (text) => {
      expect([...graphemes(text)].join('')).toBe(text);
    }),
  );
});

test.each([
  ['hello', 5, 'hello'],
  ['hello', 4, 'hel…'],
  ['漢字漢', 5, '漢字…'],
  ['漢字漢', 4, '漢…'],
  ['hello', 1, '…'],
  ['hello', 0, ''],
  ['', 0, ''],
])('truncate(%j, %i) is %j', (text, cells, shown) => {
  expect(truncate(text, cells)).toBe(shown);
});

test('truncate never exceeds its cells', () => {
  fc.assert(
    fc.property(niceText, fc.nat(30), (text, cells) => {
      expect(cellWidth(truncate(sanitise(text), cells))).toBeLessThanOrEqual(cells);
    }),
  );
});

test.each([
  ['\ta', '    a'],
  ['a\tb', 'a   b'],
  ['漢\tb\n\tc', '漢  b\n    c'],
  ['abcd\te', 'abcd    e'],
])('expandTabs(%j)', (text, expanded) => {
  expect(expandTabs(text)).toBe(expanded);
});
