/** The lists in which a session's model, thinking and permission mode are chosen, and the header that tells them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import type { Catalog, CatalogProvider } from '../../../src/store/catalog.ts';
import { NO_CHOICES, type SessionChoices } from '../../../src/store/session-choices.ts';
import { INITIAL, type State } from '../../../src/store/state.ts';
import { bufferOf } from '../../../src/ui/composer/text-buffer.ts';
import { offersOf } from '../../../src/ui/pickers/offers.ts';
import { chosenOffer, matching, type PickerKind, pickerOf } from '../../../src/ui/pickers/picker.ts';
import { pickerRows } from '../../../src/ui/pickers/picker-rows.ts';
import { MODES, nextMode } from '../../../src/ui/pickers/words.ts';
import { headerRow } from '../../../src/ui/rows/header.ts';
import type { ModelEntry } from '../../../src/wire/catalog.ts';

function model(provider_id: string, model_id: string, change: Partial<ModelEntry> = {}): ModelEntry {
  return {
    provider_id,
    model_id,
    label: model_id,
    available: true,
    context_window: 200_000,
    max_output_tokens: null,
    available_thinking_levels: ['default', 'high'],
    ...change,
  };
}

function provider(id: string, change: Partial<CatalogProvider> = {}): CatalogProvider {
  return { id, label: id.toUpperCase(), reason: '', list: 'fresh', models: [], ...change };
}

const PROVIDERS: readonly CatalogProvider[] = [
  provider('locked', { reason: 'its key is missing' }),
  provider('p', { models: [model('p', 'm-one'), model('p', 'm-two', { available: false })] }),
  provider('old', { list: 'stale', models: [model('old', 'm-old')] }),
  provider('none', { list: 'unavailable' }),
];

function stateOf(change: Partial<State> = {}, choices: Partial<SessionChoices> = {}): State {
  const catalog: Catalog = { state: 'read', providers: PROVIDERS, failure: '', progress: null };
  const selection = { provider_id: 'p', model_id: 'm-one' };
  return {
    ...INITIAL,
    telling: 'envelopes',
    catalog,
    choices: { ...NO_CHOICES, selection, ...choices },
    ...change,
  };
}

const told = (kind: PickerKind, state: State) =>
  offersOf(pickerOf(kind), state).map(({ detail, isCurrent, label, reason }) =>
    [isCurrent ? '●' : '', label, detail, reason === '' ? '' : `(${reason})`]
      .filter((part) => part !== '')
      .join(' '),
  );

describe('the offers', () => {
  it('of models: those that can be had first, the others with the reason', () => {
    expect(told('model', stateOf())).toEqual([
      '● m-one P · 200k window',
      'm-two P · 200k window (switched off)',
      'm-old OLD · 200k window (its list is old)',
      'OLD its list is old: Enter has it read again',
      'NONE no models are known: Enter asks',
      'LOCKED (its key is missing: Alt+L)',
    ]);
  });

  it('of thinking: only the levels that the model offers', () => {
    expect(
      told('thinking', stateOf({}, { thinkingLevel: 'high' })).map((line) => line.split(' ', 2).join(' ')),
    ).toEqual(['default as', '● high']);
    expect(told('thinking', stateOf({}, { selection: { provider_id: 'x', model_id: 'y' } }))).toEqual([]);
  });

  it('of permission modes: each with a sentence', () => {
    const lines = told('permission', stateOf({}, { permissionMode: 'plan' }));
    expect(lines.length).toBe(4);
    expect(lines.filter((line) => line.startsWith('●'))).toEqual([`● plans only ${MODES.plan.sentence}`]);
  });

  it('of everything: without the profile there is nothing but model and thinking', () => {
    expect(offersOf(pickerOf('choices'), stateOf()).map(({ key }) => key)).toEqual([
      'model',
      'thinking',
      'permission',
      'sandbox',
    ]);
    expect(offersOf(pickerOf('choices'), stateOf({ telling: 'activity' })).map(({ key }) => key)).toEqual([
      'model',
      'thinking',
    ]);
  });
});

describe('narrowing', () => {
  const offers = offersOf(pickerOf('model'), stateOf());

  it('keeps what matches, the best first, and takes it', () => {
    const picker = { ...pickerOf('model'), field: bufferOf('old') };
    const found = matching(offers, 'old');
    expect(found.map(({ label }) => label).toSorted()).toEqual(['OLD', 'm-old']);
    expect(chosenOffer(found, picker)).toBe(0);
  });

  it('begins at what holds now', () => {
    expect(offers[chosenOffer(offers, pickerOf('model'))]?.label).toBe('m-one');
    expect(chosenOffer(offers, { ...pickerOf('model'), selected: 'provider none' })).toBe(4);
    expect(chosenOffer([], pickerOf('model'))).toBe(0);
  });
});

describe('the mode key', () => {
  it('goes round the three that ask or refuse, and never to the one that asks nothing', () => {
    expect(nextMode('default')).toBe('acceptEdits');
    expect(nextMode('acceptEdits')).toBe('plan');
    expect(nextMode('plan')).toBe('default');
    expect(nextMode('bypassPermissions')).toBe('default');
  });
});

const hostile = fc.constantFrom(
  '漢字'.repeat(60),
  '\u001b]0;x\u0007\u001b[2Jboo',
  'a\nb\tc',
  '',
  'x'.repeat(128),
);

describe('the list', () => {
  it('fits its room and the window, whatever it holds, with the caret inside', () => {
    const kinds = fc.constantFrom<PickerKind>('model', 'thinking', 'permission', 'choices');
    fc.assert(
      fc.property(
        kinds,
        fc.array(hostile, { maxLength: 14 }),
        hostile,
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom<Catalog['state']>('read', 'reading', 'failed'),
        (kind, labels, query, columns, room, state) => {
          const models = labels.map((label, index) => model('p', `m${index}`, { label }));
          const catalog = {
            state,
            failure: query,
            progress: null,
            providers: [provider('p', { label: query, models })],
          };
          const picker = { ...pickerOf(kind), field: bufferOf(query.replaceAll(/[\n\t]/g, ' ')) };
          const { caret, rows } = pickerRows(picker, stateOf({ catalog }), columns, room);
          expect(rows.length).toBeLessThanOrEqual(Math.min(10, room));
          for (const row of rows) expect(row.width).toBeLessThanOrEqual(columns);
          expect(caret.column).toBeLessThan(columns);
        },
      ),
    );
  });

  it('keeps the chosen one in sight, and says what is being read or why nothing is', () => {
    const models = Array.from({ length: 40 }, (_, index) => model('p', `m-${index}`));
    const catalog: Catalog = {
      state: 'reading',
      progress: null,
      failure: '',
      providers: [provider('p', { models })],
    };
    const picker = { ...pickerOf('model'), selected: 'model p m-30' };
    const texts = (state: State) =>
      pickerRows(picker, state, 80, 20).rows.map((row) => rowText(row).trimEnd());
    expect(texts(stateOf({ catalog })).join('\n')).toMatch(/ › {3}m-30 /);
    expect(texts(stateOf({ catalog })).at(-1)).toContain('reading the lists of models…');
    const failed: Catalog = { ...catalog, state: 'failed', progress: null, failure: 'The link is lost.' };
    expect(texts(stateOf({ catalog: failed })).at(-1)).toContain('could not be read. The link is lost.');
  });
});

describe('the header', () => {
  const text = (state: State, width: number, folder = '~/p') =>
    rowText(headerRow(state, folder, width)).trimEnd();

  it('tells what this session works with', () => {
    const state = stateOf({}, { thinkingLevel: 'high', permissionMode: 'acceptEdits' });
    expect(text(state, 100)).toMatch(/~\/p · p\/m-one · high · edits without asking$/);
    expect(text({ ...state, telling: 'activity' }, 100)).toMatch(/~\/p · p\/m-one · high$/);
  });

  it('promises nothing that the settings of the folder do not hold', () => {
    const config = {
      selection: { provider_id: 'p', model_id: 'm-one' },
      thinking_level: 'default',
      configured_thinking_level: 'default',
      available_thinking_levels: ['default'],
      fast: true,
      precedence: [],
      writable_scopes: [],
      global_only: [],
      unasked: ['bash'],
    } satisfies State['config'];
    expect(text(stateOf({ config }), 100)).toMatch(/p\/m-one · fast · runs commands unasked$/);
    const edits = stateOf({ config }, { permissionMode: 'acceptEdits' });
    expect(text(edits, 100)).toMatch(/edits and runs commands unasked$/);
    expect(text(stateOf({ config }, { permissionMode: 'plan' }), 100)).toMatch(/plans only$/);
    expect(told('permission', stateOf({ config }))[0]).toContain(
      'but the settings of this folder let them run',
    );
  });

  it('says when a level was chosen that the model lacks', () => {
    expect(text(stateOf({}, { thinkingLevel: 'max' }), 100)).toContain('max → default');
  });

  it('lets the folder go first and the mode that asks nothing last', () => {
    const state = stateOf({}, { permissionMode: 'bypassPermissions' });
    const session = { id: 's', title: 'T'.repeat(40), control: 'mine' } as const;
    const shown = (width: number) => text({ ...state, session }, width, '~/src/somewhere');
    expect(shown(90)).toContain('~/src/somewhere · p/m-one · asks nothing');
    expect(shown(66)).toMatch(/T +p\/m-one · asks nothing$/);
    expect(shown(42)).toMatch(/T +asks nothing$/);
    const row = headerRow(state, '~/p', 42);
    expect(row.spans.find(({ text: words }) => words.includes('asks nothing'))?.style).toBe('warn');
  });

  it('fits every width', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), hostile, hostile, (width, title, level) => {
        const state = stateOf({ session: { id: 's', title, control: 'other' } }, { thinkingLevel: level });
        expect(headerRow(state, title, width).width).toBeLessThanOrEqual(width);
      }),
    );
  });
});
