/** The lists in which a session's model, thinking and permission mode are chosen, and the header that tells them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLANK_ROW, rowText } from '../../../src/render/row.ts';
import type { Catalog, CatalogProvider } from '../../../src/store/catalog.ts';
import { NO_CHOICES, type SessionChoices } from '../../../src/store/session-choices.ts';
import { INITIAL, type State } from '../../../src/store/state.ts';
import { openLogin } from '../../../src/ui/commands/login.ts';
import { editPicker } from '../../../src/ui/commands/picker.ts';
import { bufferOf } from '../../../src/ui/composer/text-buffer.ts';
import { selectedProvider } from '../../../src/ui/login/login-view.ts';
import { offersOf } from '../../../src/ui/pickers/offers.ts';
import { chosenOffer, matching, type PickerKind, pickerOf } from '../../../src/ui/pickers/picker.ts';
import { pickerRows } from '../../../src/ui/pickers/picker-rows.ts';
import { MODES, nextMode } from '../../../src/ui/pickers/words.ts';
import { headerRow } from '../../../src/ui/rows/header.ts';
import type { ProviderAuth } from '../../../src/wire/auth.ts';
import type { ModelEntry } from '../../../src/wire/catalog.ts';
import { DeskScene } from '../reading/desk.ts';

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
      'LOCKED its key is missing: Enter opens “Sign in”',
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

describe('what is found', () => {
  const models = [
    model('anthropic', 'claude-haiku-4-5-20251001', { label: 'Claude Haiku 4.5' }),
    model('anthropic', 'claude-haiku-4-5', { label: 'Claude Haiku 4.5 (latest)' }),
    model('anthropic', 'plain', { label: 'plain' }),
    ...[10, 2, 1, 3].map((number) => model('anthropic', `slow-${number}`)),
  ];
  const catalog: Catalog = {
    state: 'read',
    failure: '',
    progress: null,
    providers: [provider('anthropic', { label: 'Vendor', models })],
  };
  const found = (kind: PickerKind, query: string) =>
    matching(offersOf(pickerOf(kind), stateOf({ catalog })), query).map(({ label }) => label);

  it.each(['model', 'saved-model'] as const)(
    'by name, ID and provider, as they stand elsewhere: %s',
    (kind) => {
      const haikus = ['Claude Haiku 4.5', 'Claude Haiku 4.5 (latest)'];
      for (const query of ['haiku-4', 'anthropic/claude-haiku', 'Haiku 4.5', 'vendor haiku'])
        expect(found(kind, query).toSorted()).toEqual(haikus);
      expect(found(kind, '20251001')).toEqual(['Claude Haiku 4.5']);
      expect(found(kind, 'anthropic/plain')).toEqual(['plain']);
      expect(found('saved-provider', 'anthropic')).toEqual(['Vendor']);
    },
  );

  it('in the order in which people count, where it matches equally', () => {
    expect(found('model', 'slow-').slice(0, 3)).toEqual(['slow-1', 'slow-2', 'slow-3']);
  });

  it('shows the ID where it says more than the name and fits', () => {
    const rows = (columns: number) =>
      pickerRows(pickerOf('model'), stateOf({ catalog }), columns, 20).rows.map((row) => rowText(row));
    expect(rows(120)[1]).toMatch(/4\.5 +claude-haiku-4-5-20251001 · Vendor · 200k window *$/);
    expect(rows(80)[2]).toMatch(/\(latest\) +claude-haiku-4-5 · Vendor · 200k window *$/);
    expect(rows(120)[3]).toMatch(/plain +Vendor · 200k window *$/);
  });
});

/** Every sentence about a mode stands whole in a window of 80 columns. */
function expectWhole(state: State): void {
  const text = pickerRows(pickerOf('permission'), state, 80, 20).rows.map(rowText).join('\n');
  for (const { detail } of offersOf(pickerOf('permission'), state)) expect(text).toContain(detail);
  expect(text).not.toContain('…');
}

describe('what is said', () => {
  const footOf = (kind: PickerKind, state: State, columns = 80) =>
    rowText(pickerRows(pickerOf(kind), state, columns, 20).rows.at(-1) ?? BLANK_ROW).trim();

  it('of the modes stands whole in 80 columns', () => {
    expectWhole(stateOf());
  });

  it('why something cannot be chosen stands in the column of what is said about it', () => {
    const rows = pickerRows(pickerOf('model'), stateOf(), 80, 20).rows.map((row) => rowText(row).trimEnd());
    const column = rows[1]?.indexOf('P · 200k');
    expect(column).toBeGreaterThan(0);
    for (const reason of ['switched off · P', 'its list is old · OLD', 'its key is missing: Enter'])
      expect(rows.find((row) => row.includes(reason))?.indexOf(reason)).toBe(column);
  });

  it('why somebody cannot answer is not lost beside a long name', () => {
    const long = [model('p', 'm', { label: 'L'.repeat(90) })];
    const providers = [provider('p', { models: long }), provider('locked', { reason: 'its key is missing' })];
    const catalog: Catalog = { state: 'read', failure: '', progress: null, providers };
    expect(rowText(pickerRows(pickerOf('model'), stateOf({ catalog }), 80, 9).rows[2] ?? BLANK_ROW)).toMatch(
      /LOCKED +its key is missing: Enter.*…/,
    );
  });

  it('that another model takes the thinking level away, before it does', () => {
    expect(footOf('model', stateOf({}, { thinkingLevel: 'high' }))).toContain(
      'thinking goes back to “default”',
    );
    expect(footOf('model', stateOf())).toBe('Esc back  Enter choose');
    expect(footOf('model', stateOf({}, { thinkingLevel: 'high' }), 30)).toBe('Esc back  Enter choose');
  });

  it('a name that is too long ends in an ellipsis', () => {
    const models = [model('p', 'm', { label: 'L'.repeat(250) })];
    const catalog: Catalog = {
      state: 'read',
      failure: '',
      progress: null,
      providers: [provider('p', { models })],
    };
    for (const columns of [20, 40, 59, 60, 80, 200])
      expect(
        rowText(pickerRows(pickerOf('model'), stateOf({ catalog }), columns, 9).rows[1] ?? BLANK_ROW),
      ).toMatch(/L…( |$)/);
  });

  it('who needs a key is led to where it is saved, at its entry', () => {
    const scene = new DeskScene([]);
    scene.update((state) => ({ ...state, ...stateOf(), providers: [auth('p'), auth('locked')] }));
    scene.run('chat.model');
    editPicker(scene.desk, () => bufferOf('locked'));
    scene.press('enter');
    expect(scene.view.screen).toBe('login');
    expect(selectedProvider(scene.desk.store.getState().providers, scene.view.login)?.provider_id).toBe(
      'locked',
    );
  });

  it('that entry is found also where the list of providers comes only later', () => {
    const scene = new DeskScene([]);
    openLogin(scene.desk, 'locked');
    scene.update((state) => ({ ...state, providers: [auth('p'), auth('locked'), auth('z')] }));
    const chosen = () =>
      selectedProvider(scene.desk.store.getState().providers, scene.view.login)?.provider_id;
    expect(chosen()).toBe('locked');
    scene.press('down');
    expect(chosen()).toBe('z');
  });
});

function auth(provider_id: string): ProviderAuth {
  return { provider_id, auth_method: 'api_key', source: 'none', readiness: 'missing', ready: false };
}

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
    expect(told('permission', stateOf({ config }))[0]).toContain('settings let commands run');
    expectWhole(stateOf({ config }));
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

  it('cuts a long model name before it leaves it out', () => {
    const selection = { provider_id: 'p', model_id: 'm'.repeat(200) };
    const state = stateOf({}, { permissionMode: 'acceptEdits', selection });
    expect(text(state, 80)).toMatch(/^ \S.* {2,}p\/m{21}… · edits without asking$/);
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
