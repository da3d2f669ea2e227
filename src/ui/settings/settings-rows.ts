/** The settings as rows: what is saved where, what the next turn works with, and how this window behaves. */
import { BLANK_ROW, type Row, type Span, span } from '../../render/row.ts';
import { spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { textRows } from '../../render/wrap.ts';
import { type Held, heldLevel, heldModel } from '../../store/saved-settings.ts';
import { providerWords } from '../../store/sign-in-words.ts';
import type { State } from '../../store/state.ts';
import { keyName } from '../keys/bindings.ts';
import { windowSize } from '../pickers/model-offers.ts';
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
  const beside = width >= DETAIL_FROM ? [span(gap + sanitiseLine(detail), 'dim')] : [];
  return bar(width, [...labelled(label, width, isSelected), ...value, ...beside], []);
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
      return {
        value: [span(isOn ? 'on' : 'off', 'text')],
        detail: 'sooner and dearer, where offered',
      };
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

/** A value that is inherited is not told as if it were saved here. */
function inherited({ where }: Held, { settings }: SettingsInput): string {
  return settings.scope === 'project' && where === 'global' ? 'as for every folder' : '';
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
    facts: [inherited(held, input), readiness],
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
    inherited(held, input),
    ...(window === null ? [] : [`${windowSize(window)} window`]),
    ...(model === undefined || model.available || provider?.list !== 'fresh' ? [] : ['switched off']),
  ];
  return valued(id, input, { otherwise: state.config?.selection.model_id, facts });
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
  return { value: [span(sanitiseLine(otherwise), 'dim')], detail: joined([origin, ...facts]) };
}

function joined(facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(' · ');
}

function thinkingShown(input: SettingsInput, room: number): Shown {
  const { config } = input.state;
  if (config === null) return { value: [span('reading…', 'dim')], detail: '' };
  const held = heldLevel(input.state, input.settings.scope);
  const present = held.value?.thinking_level ?? config.configured_thinking_level;
  const offered: readonly string[] = config.available_thinking_levels;
  const levels = offered.includes(present) ? offered : [...offered, present];
  const chosen = (level: string): Span =>
    level === present ? span(`‹${levelLabel(level)}›`, 'strong') : span(levelLabel(level), 'dim');
  const whole = levels.flatMap((level, index) =>
    index === 0 ? [chosen(level)] : [span('  ', 'text'), chosen(level)],
  );
  const value = spansWidth(whole) <= room ? whole : [chosen(present)];
  const lacking = offered.includes(present) ? '' : 'this model does not offer it';
  const only = offered.length === 1 && lacking === '' ? 'this model offers no other' : '';
  return { value, detail: joined([inherited(held, input), lacking, only]) };
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
