import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { diffRows, diffSize } from '../../src/render/diff.ts';
import { rowText, span } from '../../src/render/row.ts';
import { hostileText } from './text-arbitraries.ts';

const DIFF = `--- a/x.ts
+++ b/x.ts
@@ -9,3 +9,3 @@ function
 same
--- gone
+\tnew and rather long
 last
\\ No newline at end of file
`;

test('numbers, marks and styles', () => {
  expect(diffRows(DIFF, 28)).toEqual([
    { spans: [span(' 9  9 ', 'dim'), span('  same', 'text')], width: 12 },
    { spans: [span('10    ', 'dim'), span('- -- gone', 'removed')], width: 15 },
    { spans: [span('   10 ', 'dim'), span('+     new and rather l', 'added')], width: 28 },
    { spans: [span('        ', 'dim'), span('ong', 'added')], width: 11 },
    { spans: [span('11 11 ', 'dim'), span('  last', 'text')], width: 12 },
    { spans: [span('\\ No newline at end of file', 'dim')], width: 27 },
  ]);
});

test('one named file: its lines alone, a mark between places; several files keep their names', () => {
  const two = '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n';
  const shown = ['1   - a', '  1 + b', '⋯', '9   - c', '  9 + d'];
  expect(diffRows(two, 40).map(rowText)).toEqual(shown);
  expect(diffRows(`${two}--- b\n+++ b\n@@ -1 +1 @@\n-a\n+b\n`, 40).map(rowText)).toContain('+++ b');
  expect(diffRows('no diff at all', 40).map(rowText)).toEqual(['no diff at all']);
});

test('counts what it changes, whatever the lines look like', () => {
  expect(diffSize(DIFF)).toEqual({ added: 1, removed: 1, lines: 4 });
  expect(diffSize('no diff at all')).toEqual({ added: 0, removed: 0, lines: 0 });
  expect(diffSize('@@ -1,2 +1,2 @@\n--- x\n+++ y\n z')).toEqual({ added: 1, removed: 1, lines: 3 });
});

test('no gutter where there is no room', () => {
  expect(diffRows('@@ -1 +1 @@\n-a\n+b', 14).map(rowText)).toEqual(['- a', '+ b']);
});

test('any text at any width', () => {
  const lines = fc.array(
    fc.oneof(hostileText, fc.constantFrom('@@ -1,2 +1,3 @@', '+a', '-b', ' c', '', '--- x', '+++ y')),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(lines, fc.integer({ min: 2, max: 50 }), (parts, width) => {
      for (const row of diffRows(parts.join('\n'), width)) {
        expect(stringWidth(rowText(row))).toBeLessThanOrEqual(width);
      }
    }),
  );
});
