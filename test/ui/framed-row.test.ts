import { expect, test } from 'vitest';
import { BLANK_ROW, rowText, span } from '../../src/render/row.ts';
import { rowOf } from '../../src/render/row-builder.ts';
import { framedRow } from '../../src/ui/regions/framed-row.ts';

const edge = span(' ', 'text');
const row = rowOf([span('words', 'text')]);

test('a row stands between its edge and the scroll bar, and is made once for each frame', () => {
  const frame = { edge, mark: '│', columns: 12 };
  const made = framedRow(row, frame);
  expect(rowText(made)).toBe(' words     │');
  expect(made.width).toBe(12);
  expect(framedRow(row, { ...frame })).toBe(made);
  expect(rowText(framedRow(row, { ...frame, columns: 14 }))).toBe(' words       │');
  expect(rowText(framedRow(row, { ...frame, edge: span('┆', 'warn') }))).toBe('┆words     │');
  for (let columns = 20; columns < 40; columns += 1) framedRow(row, { ...frame, columns });
  expect(rowText(framedRow(row, frame))).toBe(' words     │');
});

test('nothing with nothing beside it is a blank row', () => {
  expect(framedRow(BLANK_ROW, { edge, mark: ' ', columns: 12 })).toBe(BLANK_ROW);
  expect(rowText(framedRow(BLANK_ROW, { edge: span('▌', 'accent'), mark: ' ', columns: 12 }))).toBe('▌');
});
