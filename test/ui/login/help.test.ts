/** The help begins with what it was opened from, and cuts nothing. */
import { expect, test } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import { INITIAL } from '../../../src/store/state.ts';
import { helpTable } from '../../../src/ui/keys/bindings.ts';
import { pickerOf } from '../../../src/ui/pickers/picker.ts';
import { helpRows } from '../../../src/ui/rows/help-rows.ts';
import { helpAbout, helpFrame } from '../../../src/ui/screens/other.ts';
import { initialView, type View } from '../../../src/ui/view.ts';

const SIZE = { columns: 80, rows: 24 };
const firstSection = (change: Partial<View>, state = INITIAL): string => {
  const view = { ...initialView(SIZE, 0), help: 0, ...change };
  return rowText(helpFrame(0, helpAbout(state, view), SIZE).rows[2] ?? { spans: [], width: 0 }).trim();
};

test('it begins with the keys of the screen that it was opened from', () => {
  expect(firstSection({})).toBe('Everywhere');
  expect(firstSection({ screen: 'login' })).toBe('Signing in');
  expect(firstSection({ screen: 'settings' })).toBe('Settings');
  expect(firstSection({ screen: 'sessions' })).toBe('Lists');
  expect(firstSection({ picker: pickerOf('model') })).toBe('Choosing for the session');
  expect(firstSection({}, { ...INITIAL, setup: [] })).toBe('Questions');
});

test('every key and every title stands whole, however narrow it is, in any order', () => {
  for (const columns of [20, 40, 59, 60, 80, 200]) {
    const rows = helpRows(columns, 'settings');
    for (const row of rows) expect(row.width).toBeLessThanOrEqual(columns);
    const text = rows
      .map((row) => rowText(row).trim())
      .join(' ')
      .replaceAll(/\s+/g, '');
    for (const { keys, title } of helpTable()) {
      expect(text).toContain(keys.replaceAll(/\s+/g, ''));
      expect(text).toContain(title.replaceAll(/\s+/g, ''));
    }
    expect(helpRows(columns, null).length).toBe(rows.length);
  }
});
