/** The settings as rows: what is saved where, what the next turn works with, and how this window behaves. */
import { BLANK_ROW, type Row, type Span, span } from '../../render/row.ts';
import { spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { truncate } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import { levelsOf } from '../../store/catalog.ts';
import { type Held, heldLevel, heldModel, levelChoice } from '../../store/saved-settings.ts';
import { providerWords } from '../../store/sign-in-words.ts';
import type { State } from '../../store/state.ts';
import type { ModelEntry } from '../../wire/catalog.ts';
import { keyName } from '../keys/bindings.ts';
import { windowSize } from '../pickers/model-offers.ts';
import { hasFast } from '../pickers/offers.ts';
import { levelLabel } from '../pickers/words.ts';
import { bar } from '../rows/bar.ts';
import { ENTRIES, type EntryId, isUiEntry, uiValue } from './entries.ts';
import { nextTurn } from './next-turn.ts';
import type { PreferencesState } from './preferences.ts';
import type { SettingsView } from './settings-view.ts';

export interface SettingsInput {
  readonly state: State;
  readonly settings: SettingsView;
  readonly preferences: PreferencesState;
  /** As it is shown. */
  readonly file: string;
  /** NO_COLOR, or a terminal without colours. */
  readonly isColourless: boolean;
}

export interface SettingsRows {
  readonly rows: readonly Row[];
  /** The row of the chosen entry. */
  readonly selected: number;
}

const VALUE_CELLS = 20;
/** From so many columns on there is room for whole labels. */
const WIDE_FROM = 60;
/** From so many columns on there is room for what a value means. */
const DETAIL_FROM = 74;

/** Cells before a label, and for it. */
function placesOf(width: number): { readonly mark: number; readonly label: number } {
  return width < WIDE_FROM ? { mark: 2, label: 10 } : { mark: 5, label: 15 };
}

/** Each row is at most `width` cells. */
export function settingsRows(input: SettingsInput, width: number): SettingsRows {
  const rows: Row[] = [];
  let selected = 0;
  for (const { id, label: long, short } of ENTRIES) {
    const label = width < WIDE_FROM ? short : long;
    if (id === 'theme') rows.push(BLANK_ROW, ...nextTurnRows(input.state, width), BLANK_ROW);
    if (id === input.settings.selected) selected = rows.length;
    rows.push(entryRow(input, { id, label, isSelected: id === input.settings.selected }, width));
  }
  const { trouble } = input.preferences;
  rows.push(bar(width, [...labelled('File', width), span(sanitiseLine(input.file), 'dim')], []));
  if (trouble !== '')
    rows.push(BLANK_ROW, ...textRows(sanitiseLine(trouble), 'warn', width, indentOf(width)));
  return { rows, selected };
}

function indentOf(width: number) {
  const blank = [span(' '.repeat(placesOf(width).mark), 'text')];
  return { first: blank, rest: blank };
}

function labelled(label: string, width: number, isSelected = false): Span[] {
  const places = placesOf(width);
  const mark = (isSelected ? '› ' : '').padStart(places.mark);
  return [span(mark, 'accent'), span(label.padEnd(places.label), isSelected ? 'strong' : 'text')];
}

interface Shown {
  readonly value: readonly Span[];
  readonly detail: string;
}

function entryRow(
  input: SettingsInput,
  { id, isSelected, label }: { readonly id: EntryId; readonly isSelected: boolean; readonly label: string },
  width: number,
): Row {
  const places = placesOf(width);
  const { detail, value } = shownOf(id, input, width - places.mark - places.label);
  const gap = ' '.repeat(Math.max(2, VALUE_CELLS - spansWidth(value)));
  const left = [...labelled(label, width, isSelected), ...value];
  const said = truncate(sanitiseLine(detail), Math.max(0, width - spansWidth(left) - gap.length));
  const beside = width >= DETAIL_FROM ? [span(gap + said, 'dim')] : [];
  return bar(width, [...left, ...beside], []);
}

/** @param room cells for the value */
function shownOf(id: EntryId, input: SettingsInput, room: number): Shown {
  const { preferences, state } = input;
  if (isUiEntry(id)) return uiShown(id, input);
  switch (id) {
    case 'provider':
      return providerShown(input);
    case 'model':
      return modelShown(input);
    case 'thinking':
      return thinkingShown(input, room);
    case 'fast': {
      const isOn = state.config?.fast === true;
      return { value: [span(isOn ? 'on' : 'off', 'text')], detail: fastWords(hasFast(state)) };
    }
    case 'keys': {
      const count = Object.keys(preferences.settings.keys ?? {}).length;
      const problems = preferences.keyProblems;
      const detail = problems.length === 0 ? `${keyName('chat.help')} shows them all` : problems.join('; ');
      const words = count === 0 ? 'as they come' : `${count} of your own`;
      return { value: [span(words, problems.length === 0 ? 'text' : 'warn')], detail };
    }
  }
}

function uiShown(
  id: Exclude<EntryId, 'keys' | 'provider' | 'model' | 'thinking' | 'fast'>,
  input: SettingsInput,
): Shown {
  const { detail, label } = uiValue(id, input.preferences.settings);
  const value = [span(label, 'text')];
  if (id === 'theme' && input.isColourless)
    return { value, detail: 'without effect: this terminal, or NO_COLOR, has no colours' };
  return {
    value,
    detail: id === 'screenReader' ? `${detail} · from the next start on` : detail,
  };
}

function fastWords(offered: boolean | null): string {
  if (offered === null) return 'sooner and dearer, where offered';
  return offered ? 'sooner, and dearer' : 'not offered by who answers';
}

/** A value that is inherited is not told as if it were saved here. */
function inherited({ where }: Held, { scope }: SettingsView): string {
  return scope === 'project' && where === 'global' ? 'as for every folder' : '';
}

function providerShown(input: SettingsInput): Shown {
  const { state } = input;
  const held = heldModel(state, input.settings.scope);
  const id = held.value?.provider_id ?? null;
  const auth = state.providers?.find(
    ({ provider_id }) => provider_id === (id ?? state.config?.selection.provider_id),
  );
  const readiness = auth === undefined ? '' : providerWords(auth);
  return valued(id, input, {
    otherwise: state.config?.selection.provider_id,
    facts: [readiness, inherited(held, input.settings)],
  });
}

function modelShown(input: SettingsInput): Shown {
  const { state } = input;
  const held = heldModel(state, input.settings.scope);
  const id = held.value?.model_id ?? null;
  const provider = state.catalog.providers.find(
    (entry) => entry.id === (held.value?.provider_id ?? state.config?.selection.provider_id),
  );
  const model = provider?.models.find(
    ({ model_id }) => model_id === (id ?? state.config?.selection.model_id),
  );
  const window = model?.context_window ?? null;
  const facts = [
    ...(window === null ? [] : [`${windowSize(window)} window`]),
    ...(provider?.list === 'fresh' ? worthOf(model, provider.models.length) : []),
    inherited(held, input.settings),
  ];
  return valued(id, input, { otherwise: state.config?.selection.model_id, facts });
}

/** @param count of the models that are listed */
function worthOf(model: ModelEntry | undefined, count: number): string[] {
  if (model === undefined)
    return [count === 1 ? 'not the one that is listed' : `none of the ${count} that are listed`];
  return model.available ? [] : ['switched off'];
}

/** What is saved, or what counts without it. Not every service says what is saved. */
function valued(
  saved: string | null,
  { state }: SettingsInput,
  { facts, otherwise }: { readonly facts: readonly string[]; readonly otherwise: string | undefined },
): Shown {
  if (saved !== null) return { value: [span(sanitiseLine(saved), 'text')], detail: joined(facts) };
  if (otherwise === undefined) return { value: [span('reading…', 'dim')], detail: '' };
  const origin = state.config?.layers === undefined ? 'in effect' : 'not saved here';
  return { value: [span(sanitiseLine(otherwise), 'dim')], detail: joined([...facts, origin]) };
}

function joined(facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(' · ');
}

function thinkingShown({ settings, state }: SettingsInput, room: number): Shown {
  const choice = levelChoice(state, settings.scope, (selection) => levelsOf(state, selection));
  if (choice === null) return { value: [span('reading…', 'dim')], detail: '' };
  const { levels: offered, present } = choice;
  const isOffered = offered.includes(present);
  const levels = isOffered ? offered : [...offered, present];
  const chosen = (level: string): Span =>
    level === present ? span(`‹${levelLabel(level)}›`, 'strong') : span(levelLabel(level), 'dim');
  const whole = levels.flatMap((level, index) =>
    index === 0 ? [chosen(level)] : [span('  ', 'text'), chosen(level)],
  );
  const value = spansWidth(whole) <= room ? whole : [chosen(present)];
  if (!isOffered) return { value, detail: 'not offered by this model' };
  if (offered.length === 1) return { value, detail: 'the only one of this model' };
  return { value, detail: inherited(heldLevel(state, settings.scope), settings) };
}

function nextTurnRows(state: State, width: number): Row[] {
  const { tone, what, why } = nextTurn(state);
  if (what === '') return [bar(width, [...labelled('Next turn', width), span('reading…', 'dim')], [])];
  const prefix = labelled('Next turn', width);
  const blank = [span(' '.repeat(spansWidth(prefix)), 'text')];
  const head = textRows(sanitiseLine(what), tone === 'warn' ? 'warn' : 'good', width, {
    first: prefix,
    rest: blank,
  });
  const because = why.flatMap((sentence) =>
    textRows(sanitiseLine(sentence), 'dim', width, { first: blank, rest: blank }),
  );
  return [...head, ...because];
}
