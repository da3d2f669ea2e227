import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { uiSettings } from '../../../src/platform/ui-settings.ts';
import { adoptKeys, keyName } from '../../../src/ui/keys/bindings.ts';
import { ENTRIES, isUiEntry, steppedUi, UI_VALUES, uiValue } from '../../../src/ui/settings/entries.ts';
import { Preferences } from '../../../src/ui/settings/preferences.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mt-preferences-'));
  file = join(folder, 'settings.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  adoptKeys({});
});

const kept = () => JSON.parse(readFileSync(file, 'utf8'));
const held = ({ state }: Preferences) => state.getState();

test('a change is kept with everything else that the file holds, and told', () => {
  writeFileSync(file, JSON.stringify({ provider: 'demo', mine: 1, ui: { keys: {}, more: true } }));
  const preferences = new Preferences(file, {});
  let heard = 0;
  preferences.state.subscribe(() => {
    heard += 1;
  });
  preferences.change({ theme: 'light' });
  expect(kept()).toEqual({ provider: 'demo', mine: 1, ui: { keys: {}, more: true, theme: 'light' } });
  expect([held(preferences).settings.theme, held(preferences).trouble, heard]).toEqual(['light', '', 1]);
});

test('a broken file is told with its place and never written over; what held goes on', () => {
  const broken = '{\n  "ui": {\n    "theme": "pink"\n  }\n}\n';
  writeFileSync(file, broken);
  const preferences = new Preferences(file, { theme: 'dark' });
  preferences.change({ notify: 'off' });
  expect(readFileSync(file, 'utf8')).toBe(broken);
  expect(held(preferences).settings).toEqual({ theme: 'dark' });
  expect(held(preferences).trouble).toContain(`${file}:3:5: ui.theme: `);
  writeFileSync(file, '{"ui":{"theme":"none"}}');
  preferences.reread();
  expect(held(preferences)).toEqual({ settings: { theme: 'none' }, trouble: '', keyProblems: [] });
});

test('keys hold as soon as they are read, and go with the file', () => {
  const preferences = new Preferences(file, {});
  writeFileSync(file, JSON.stringify({ ui: { keys: { 'chat.settings': 'alt+z', 'chat.nothing': 'f5' } } }));
  preferences.reread();
  expect(keyName('chat.settings')).toBe('Alt+Z');
  expect(held(preferences).keyProblems).toEqual(['there is no command chat.nothing']);
  rmSync(file);
  preferences.reread();
  expect(keyName('chat.settings')).toBe('F12');
  expect(held(preferences).keyProblems).toEqual([]);
});

test('every value that is offered can be kept, and one key goes round all of them', () => {
  for (const id of ENTRIES.map((entry) => entry.id).filter(isUiEntry)) {
    const seen = new Set<unknown>();
    let settings = {};
    for (const { value } of UI_VALUES[id]) {
      expect(uiSettings.safeParse({ [id]: value }).success).toBe(true);
      seen.add(uiValue(id, settings).value);
      settings = steppedUi(id, settings, 1);
    }
    expect(seen.size).toBe(UI_VALUES[id].length);
    expect(uiValue(id, settings).value).toBe(UI_VALUES[id][0]?.value);
    expect(uiValue(id, steppedUi(id, {}, -1)).value).toBe(UI_VALUES[id].at(-1)?.value);
  }
});
