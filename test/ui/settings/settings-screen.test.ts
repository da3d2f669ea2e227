import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import type { CatalogProvider } from '../../../src/store/catalog.ts';
import { NO_CHOICES } from '../../../src/store/session-choices.ts';
import { INITIAL, type State } from '../../../src/store/state.ts';
import { beginTurn } from '../../../src/transcript/live-turn.ts';
import { pickerOf } from '../../../src/ui/pickers/picker.ts';
import { settingsFrame } from '../../../src/ui/screens/settings.ts';
import { ENTRIES } from '../../../src/ui/settings/entries.ts';
import { nextTurn } from '../../../src/ui/settings/next-turn.ts';
import type { PreferencesState } from '../../../src/ui/settings/preferences.ts';
import { initialView, type View } from '../../../src/ui/view.ts';
import type { ConfigProjection } from '../../../src/wire/config.ts';

const NOTHING = { provider_id: null, model_id: null, thinking_level: null };
const PROVIDER: CatalogProvider = {
  id: 'vendor',
  label: 'Vendor',
  reason: '',
  list: 'fresh',
  models: [
    {
      provider_id: 'vendor',
      model_id: 'm-one',
      label: 'M One',
      available: true,
      context_window: 272_000,
      max_output_tokens: null,
      available_thinking_levels: ['default', 'low', 'x_high'],
    },
  ],
};

function configOf(change: Partial<ConfigProjection> = {}): ConfigProjection {
  return {
    selection: { provider_id: 'vendor', model_id: 'm-one' },
    thinking_level: 'low',
    configured_thinking_level: 'low',
    available_thinking_levels: ['default', 'low', 'x_high'],
    fast: false,
    precedence: ['environment', 'project', 'global'],
    writable_scopes: ['global', 'project'],
    global_only: ['fast'],
    layers: {
      deciding: { selection: 'global', thinking_level: 'global' },
      environment: NOTHING,
      project: NOTHING,
      global: { provider_id: 'vendor', model_id: 'm-one', thinking_level: 'low' },
    },
    unasked: [],
    ...change,
  };
}

function stateOf(config: Partial<ConfigProjection> = {}, change: Partial<State> = {}): State {
  return {
    ...INITIAL,
    telling: 'envelopes',
    config: configOf(config),
    catalog: { state: 'read', providers: [PROVIDER], failure: '', progress: null },
    ...change,
  };
}

const PREFERENCES: PreferencesState = { settings: {}, trouble: '', keyProblems: [] };

interface Shown {
  readonly state?: State;
  readonly view?: Partial<View>;
  readonly preferences?: Partial<PreferencesState>;
  readonly columns?: number;
  readonly rows?: number;
}

function frameOf({ columns = 100, preferences, rows = 30, state = stateOf(), view }: Shown) {
  return settingsFrame({
    state,
    view: { ...initialView({ columns, rows }, 5_000), ...view },
    preferences: { ...PREFERENCES, ...preferences },
    file: '~/settings.json',
    isColourless: false,
    monotonic: 0,
  });
}

const textOf = (shown: Shown): string =>
  frameOf(shown)
    .rows.map((row) => rowText(row).trimEnd())
    .join('\n');

const PROJECT = { settings: { selected: 'model', scope: 'project' } } as const;

describe('the screen', () => {
  test('says what is saved, where it comes from, and what the next turn works with', () => {
    const text = textOf({ view: PROJECT });
    expect(text).toMatch(/Settings · for this folder.* 1 model, fresh/);
    expect(text).toMatch(/Provider +vendor +as for every folder/);
    expect(text).toMatch(/› Model +m-one +272k window · as for every folder/);
    expect(text).toMatch(/Thinking +default {2}‹low› {2}x high/);
    expect(text).toMatch(/Next turn +vendor\/m-one · low\n +Decided by what is saved for every folder\./);
    expect(text).toContain('g for every folder');
  });

  test('never shows as saved what is not', () => {
    const layers = { ...configOf().layers, global: NOTHING } as ConfigProjection['layers'];
    expect(textOf({ state: stateOf({ layers }) })).toMatch(/Model +m-one +272k window · not saved here/);
    const { layers: _layers, ...silent } = configOf();
    const state = stateOf();
    expect(textOf({ state: { ...state, config: silent } })).toMatch(/Model +m-one +272k window · in effect/);
  });

  test('a level that the model lacks stays visible, with the reason', () => {
    const state = stateOf({ configured_thinking_level: 'max', thinking_level: 'default', layers: undefined });
    expect(textOf({ state })).toMatch(
      /Thinking +default {2}low {2}x high {2}‹max› {2}not offered by this model/,
    );
  });

  test.each([
    ['stale', /list is old: r asks again/],
    ['unavailable', /no list: r asks for it/],
  ] as const)('a list that is %s says what to press', (list, words) => {
    const catalog = { ...stateOf().catalog, providers: [{ ...PROVIDER, list }] };
    expect(textOf({ state: stateOf({}, { catalog }) })).toMatch(words);
  });

  test('reading is told with its progress, and a failure with its reason', () => {
    const progress = { doing: 'asking', providerId: 'vendor', models: 0, since: 2_000 } as const;
    const catalog = { ...stateOf().catalog, progress };
    expect(textOf({ state: stateOf({}, { catalog }) })).toContain('asking vendor for its models… 3 s');
    const reading = { ...progress, doing: 'reading', models: 64, since: 5_000 } as const;
    expect(textOf({ state: stateOf({}, { catalog: { ...catalog, progress: reading } }) })).toContain(
      'reading vendor… 64 models',
    );
    const failed = { ...catalog, state: 'failed', progress: null, failure: 'The provider is away.' } as const;
    expect(textOf({ state: stateOf({}, { catalog: failed }) })).toContain(
      'could not be read. The provider is away.',
    );
  });

  test('a file that cannot be used is told with its place', () => {
    const trouble = '/x/settings.json:3:5: ui.theme: Invalid option. Mend the file.';
    expect(textOf({ preferences: { trouble } })).toContain(trouble);
    const keyProblems = ['there is no command chat.nothing'];
    expect(textOf({ preferences: { keyProblems, settings: { keys: { 'chat.nothing': 'f5' } } } })).toMatch(
      /Keys +1 of your own +there is no command chat\.nothing/,
    );
  });

  test('fits every window, keeps the chosen entry in sight, and the cursor in the list that is open', () => {
    const size = { columns: fc.integer({ min: 20, max: 200 }), rows: fc.integer({ min: 8, max: 60 }) };
    const entry = fc.constantFrom(...ENTRIES);
    const kind = fc.option(fc.constantFrom('saved-provider', 'saved-model'));
    fc.assert(
      fc.property(
        fc.record(size),
        entry,
        kind,
        fc.string(),
        ({ columns, rows }, { id, label, short }, open, said) => {
          const settings = { selected: id, scope: 'project' } as const;
          const picker = open === null ? null : pickerOf(open);
          const state = stateOf(
            {},
            { settings: { pending: null, said: { text: said, tone: 'warn' }, here: {} } },
          );
          const { cursor, rows: drawn } = frameOf({ columns, rows, state, view: { settings, picker } });
          expect(drawn.length).toBe(rows);
          for (const row of drawn) expect(row.width).toBeLessThanOrEqual(columns);
          if (cursor !== null) expect([cursor.x < columns, cursor.y < rows]).toEqual([true, true]);
          expect(cursor === null).toBe(picker === null);
          if (picker === null)
            expect(drawn.map(rowText).join('\n')).toContain(`› ${columns < 60 ? short : label}`);
        },
      ),
    );
  });
});

describe('the next turn', () => {
  test('is what the environment of the service says, whatever is saved', () => {
    const layers = {
      ...configOf().layers,
      deciding: { selection: 'environment', thinking_level: null },
    } as ConfigProjection['layers'];
    const { tone, why } = nextTurn(stateOf({ layers }));
    expect(why).toEqual([
      'Decided by the environment of the service (MAGI_TERM_PROVIDER, MAGI_TERM_MODEL), whatever is saved.',
    ]);
    expect(tone).toBe('warn');
  });

  test('is what the session chose for itself', () => {
    const choices = { ...NO_CHOICES, selection: { provider_id: 'vendor', model_id: 'm-own' } };
    const { what, why } = nextTurn(stateOf({}, { choices }));
    expect(what).toBe('vendor/m-own · low');
    expect(why).toEqual([
      'Vendor does not list this model: Enter on “Model” lists those that it has.',
      'This session chose its model itself: Alt+M changes that.',
    ]);
  });

  test('is told when there is no such provider', () => {
    const { tone, why } = nextTurn(stateOf({ selection: { provider_id: 'nobody', model_id: 'm' } }));
    expect(why[0]).toBe('There is no provider nobody: Enter on “Provider” lists those that are.');
    expect(tone).toBe('warn');
  });

  test('is called fast only where that means something', () => {
    expect(nextTurn(stateOf({ fast: true })).what).toContain(' · fast');
    expect(nextTurn(stateOf({ fast: true, fast_providers: ['vendor'] })).what).toContain(' · fast');
    expect(nextTurn(stateOf({ fast: true, fast_providers: ['openai'] })).what).not.toContain('fast');
  });

  test('cannot be where the provider is not ready, and says what to do', () => {
    const providers = [{ ...PROVIDER, reason: 'its key is missing' }];
    const { tone, why } = nextTurn(stateOf({}, { catalog: { ...stateOf().catalog, providers } }));
    expect(why[0]).toBe('It cannot answer: its key is missing. Alt+L signs in or saves a key.');
    expect(tone).toBe('warn');
  });

  test('comes after the one that runs', () => {
    const live = beginTurn('t', { newId: () => 'n', now: 0 });
    expect(nextTurn(stateOf({}, { live })).why).toContain('The turn that runs keeps what it began with.');
  });

  test('of a service that does not tell who decides: nothing is made up', () => {
    const silent = stateOf({ layers: undefined }, { telling: 'activity' });
    expect(nextTurn(silent).why).toEqual([]);
    const saved = (model_id: string) => ({ provider_id: 'vendor', model_id, thinking_level: null });
    const here = (model: string): State => ({
      ...silent,
      settings: { pending: null, said: null, here: { project: saved(model) } },
    });
    expect(nextTurn(here('m-one')).why).toEqual([]);
    expect(nextTurn(here('m-two')).why).toEqual([
      'Decided by the environment of the service (MC_PROVIDER, MC_MODEL), not by what was saved here.',
    ]);
  });
});
