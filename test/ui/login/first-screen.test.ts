/** The question who should answer: what is chosen and what it explains stay in sight, whatever the window. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import { type Choice, INITIAL, type State } from '../../../src/store/state.ts';
import { runChoice } from '../../../src/ui/commands/choice.ts';
import { type Size, SMALLEST } from '../../../src/ui/frame.ts';
import { setupFrame } from '../../../src/ui/screens/other.ts';
import { initialView, type View } from '../../../src/ui/view.ts';
import type { ConfigProjection } from '../../../src/wire/config.ts';
import { DeskScene } from '../reading/desk.ts';

const HOW_TO = 'set NINE_API_KEY in the environment of the service and start it again.';
const CHOICES: readonly Choice[] = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
].map((id) => ({
  providerId: id,
  modelId: id === 'nine' ? '' : 'm',
  label: `Provider ${id}`,
  detail: 'saved key · 3 models, first m',
  howTo: id === 'nine' ? HOW_TO : '',
}));

function shown(size: Size, change: Partial<View> = {}, state: State = INITIAL): string[] {
  const view = { ...initialView(size, 0), ...change };
  return setupFrame(CHOICES, state, view, '~/p').rows.map((row) => rowText(row).trimEnd());
}

const sizes = fc.record({
  columns: fc.integer({ min: SMALLEST.columns, max: 120 }),
  rows: fc.integer({ min: SMALLEST.rows, max: 40 }),
});

test('the chosen entry is in sight at every size, with what it explains right below it', () => {
  fc.assert(
    fc.property(sizes, fc.nat(CHOICES.length - 1), fc.boolean(), (size, choice, explains) => {
      const rows = shown(size, { choice, howTo: explains ? 'Why it cannot be taken yet.' : '' });
      expect(rows.length).toBe(size.rows);
      expect(rows.filter((row) => row.includes(`› Provider ${CHOICES[choice]?.providerId}`)).length).toBe(1);
      if (explains) expect(rows.join(' ').replaceAll(/\s+/g, ' ')).toContain('Why it cannot');
    }),
  );
});

test('a narrow window keeps the labels whole and drops what is beside them', () => {
  expect(shown({ columns: 40, rows: 12 }).join('\n')).not.toContain('saved');
  expect(shown({ columns: 40, rows: 12 })).toContain('   Provider two');
  expect(shown({ columns: 80, rows: 24 }).join('\n')).toContain('saved key · 3 models, first m');
});

test('an explanation that does not fit says that it goes on', () => {
  const rows = shown({ columns: 20, rows: 8 }, { choice: 8, howTo: 'word '.repeat(60) });
  expect(rows[0]).toBe(' › Provider nine');
  expect(rows[6]).toMatch(/ …$/);
});

test('the keys are those of the bindings, and the way back is named where there is one', () => {
  const config = { selection: { provider_id: 'two', model_id: 'm' } } as ConfigProjection;
  expect(shown({ columns: 80, rows: 24 }, {}, { ...INITIAL, config }).at(-1)).toMatch(
    /^ Esc back {2}Enter choose {2}Alt\+L sign in/,
  );
  expect(shown({ columns: 80, rows: 24 }).at(-1)).not.toContain('Esc');
  const keyless = { selection: { provider_id: 'nine', model_id: 'm' } } as ConfigProjection;
  const after = { ...INITIAL, config: keyless };
  expect(shown({ columns: 80, rows: 24 }, {}, after).at(-1)).not.toContain('Esc');
  expect(shown({ columns: 20, rows: 8 }, {}, { ...INITIAL, config }).at(-1)).toMatch(/^ Esc back /);
});

test('whoever needs a key is sent to the screen that saves one, where the service takes one', () => {
  const scene = new DeskScene([]);
  scene.update((state) => ({ ...state, setup: CHOICES.slice(8) }));
  scene.press('enter');
  expect(scene.view.howTo).toBe(
    `This service keeps its keys itself: save one with its own program. Or ${HOW_TO}`,
  );
  runChoice('choice.accept', { ...scene.desk, saveKey: async () => undefined }, { batch: 0, atMs: 0 });
  expect(scene.view.howTo).toBe(`Alt+L, then s, saves a key. Or ${HOW_TO}`);
});
