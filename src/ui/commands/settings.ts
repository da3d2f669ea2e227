/** What the keys of the settings screen do. */
import { editFile, editorOf } from '../../platform/editor.ts';
import { levelsOf } from '../../store/catalog.ts';
import { decidingLayer, heldModel, levelChoice, type Scope } from '../../store/saved-settings.ts';
import { asLevel } from '../../store/session-choices.ts';
import { SCOPE_WORDS } from '../../store/settings-words.ts';
import type { Desk, Handler } from '../desk.ts';
import { type CommandId, keyName } from '../keys/bindings.ts';
import { type PickerKind, pickerOf } from '../pickers/picker.ts';
import { ENTRIES, type EntryId, isUiEntry, steppedUi } from '../settings/entries.ts';
import type { SettingsView } from '../settings/settings-view.ts';
import { movedEntry } from './moved-entry.ts';

/** Opens the screen, with everything on it read anew; the draft behind it stays as it is. */
export function openSettings(desk: Desk): void {
  const { preferences, store, view } = desk;
  const { config } = store.getState();
  // Where the model comes from is where another one would count.
  const scope: Scope = config !== null && decidingLayer(config) === 'project' ? 'project' : 'global';
  view.update((seen) => {
    const settings = seen.screen === 'login' ? seen.settings : { ...seen.settings, scope };
    return { ...seen, screen: 'settings', help: null, picker: null, settings };
  });
  preferences.reread();
  readAll(desk);
}

function readAll({ conversation }: Desk): void {
  void conversation.settings.read();
  void conversation.catalog.read();
  void conversation.signing.readProviders();
}

export const runSettings: Handler = (command, desk) => {
  const { view } = desk;
  const { selected } = view.getState().settings;
  switch (command) {
    case 'settings.accept':
      accept(selected, desk);
      return;
    case 'settings.next':
      step(selected, 1, desk);
      return;
    case 'settings.previous':
      step(selected, -1, desk);
      return;
    case 'settings.global':
      chooseScope('global', desk);
      return;
    case 'settings.project':
      chooseScope('project', desk);
      return;
    case 'settings.forget':
      forget(selected, desk);
      return;
    case 'settings.refresh':
      refresh(desk);
      return;
    case 'settings.edit':
      void editByHand(desk);
      return;
    case 'settings.back':
      view.update((seen) => ({ ...seen, screen: 'chat' }));
      return;
    default:
      move(command, selected, desk);
  }
};

function move(command: CommandId, selected: EntryId, desk: Desk): void {
  const at = ENTRIES.findIndex(({ id }) => id === selected);
  const next = movedEntry(command, { at, count: ENTRIES.length, page: ENTRIES.length });
  change(desk, { selected: ENTRIES[next]?.id ?? selected });
}

function change({ view }: Desk, part: Partial<SettingsView>): void {
  view.update((seen) => ({ ...seen, settings: { ...seen.settings, ...part } }));
}

function accept(selected: EntryId, desk: Desk): void {
  if (selected === 'provider') open('saved-provider', desk);
  else if (selected === 'model') open('saved-model', desk);
  else if (selected === 'keys') void editByHand(desk);
  else step(selected, 1, desk);
}

function open(kind: PickerKind, { view }: Desk): void {
  view.update((seen) => ({ ...seen, picker: pickerOf(kind) }));
}

function step(selected: EntryId, by: 1 | -1, desk: Desk): void {
  const { conversation, preferences, say, store } = desk;
  if (isUiEntry(selected)) {
    preferences.change(steppedUi(selected, preferences.state.getState().settings, by));
    return;
  }
  if (selected === 'thinking') stepLevel(by, desk);
  else if (selected === 'fast') {
    const { config } = store.getState();
    if (config !== null) void conversation.settings.save('global', { fast: !config.fast });
  } else if (selected === 'keys') say('Enter opens the settings file, where keys are set.');
  else say('Enter opens the list.');
}

/** One after the other, however quickly the keys come: the next one begins where the last one that was asked for leads. */
function stepLevel(by: 1 | -1, desk: Desk): void {
  const { conversation, say, store, view } = desk;
  const state = store.getState();
  const { scope } = view.getState().settings;
  const choice = levelChoice(state, scope, (selection) => levelsOf(state, selection));
  if (choice === null) return;
  const { levels, present, selection } = choice;
  const at = levels.indexOf(state.settings.pending?.thinking_level ?? present);
  const next = asLevel(levels[Math.max(0, Math.min(levels.length - 1, at + by))] ?? present);
  if (levels.length < 2) say('This model offers no other level.');
  else if (next !== null && next !== levels[at])
    void conversation.settings.save(scope, {
      ...(selection === null ? {} : { selection }),
      thinking_level: next,
    });
}

/** Of a service that cannot forget, what is saved can only be replaced. */
function forget(selected: EntryId, desk: Desk): void {
  const { conversation, preferences, say, store, view } = desk;
  const { config } = store.getState();
  const { scope } = view.getState().settings;
  if (isUiEntry(selected)) preferences.change({ [selected]: undefined });
  else if (config?.layers === undefined) say('This service keeps what is saved until something else is.');
  else if (selected === 'thinking') void conversation.settings.save(scope, { reset: ['thinking_level'] });
  else if (selected === 'model' || selected === 'provider')
    void conversation.settings.save(scope, { reset: ['selection', 'thinking_level'] });
  else say('It is not kept for a folder: there is nothing to forget.');
}

function chooseScope(scope: Scope, desk: Desk): void {
  const scopes = desk.store.getState().config?.writable_scopes ?? [];
  desk.conversation.settings.forget();
  if (scopes.includes(scope)) change(desk, { scope });
  else desk.say(`This service cannot save settings ${SCOPE_WORDS[scope]}.`);
}

/** Everything is read again, and the provider that is chosen here is asked for its models. */
function refresh(desk: Desk): void {
  const { conversation, preferences, say, store, view } = desk;
  const state = store.getState();
  preferences.reread();
  void conversation.settings.read();
  void conversation.signing.readProviders();
  const held = heldModel(state, view.getState().settings.scope).value?.provider_id;
  const id = held ?? state.config?.selection.provider_id;
  const provider = state.catalog.providers.find((entry) => entry.id === id);
  const reason = provider?.reason ?? '';
  if (reason !== '') say(`${provider?.label}: ${reason}. ${keyName('chat.login')} leads to signing in.`);
  if (id === undefined || reason !== '') void conversation.catalog.read();
  else void conversation.catalog.refresh(id);
}

async function editByHand({ lend, preferences, say }: Desk): Promise<void> {
  const { env } = process;
  const command = await editorOf(env);
  if (command === null) {
    say(`There is no editor: set VISUAL or EDITOR, or change ${preferences.file} yourself.`);
    return;
  }
  const failure = await lend((signal) => editFile(preferences.file, command, { env, signal }));
  if (failure !== null) say(failure);
  preferences.reread();
}
