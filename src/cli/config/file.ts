/** The settings file, read and changed by `config`. What people should know beside a value goes to stderr. */
import { type Settings, updateSettings } from '../../platform/settings.ts';
import { settingsFailure } from '../../platform/settings-failure.ts';
import { connected } from '../connected.ts';
import { EXIT, type GlobalFlags, type Place, placeOf } from '../flags.ts';
import { checkSettings } from '../settings-check.ts';
import { type Change, changed, hiddenWords } from './change.ts';
import { deciding } from './deciding.ts';
import { readModel } from './model-reading.ts';
import { type Format, fail, noFastWords, printAll, printOne, tell } from './print.ts';
import { hasFastMode, providerId, unlistedWords } from './selection-check.ts';
import { SCOPE_WORDS, type Scope, type Setting, type SettingValue, savedAt, scopeOf } from './setting.ts';
import { SETTINGS } from './setting-list.ts';
import { notesOn, valueShown } from './shown.ts';

/** Prints one setting, or all that are saved. Returns the exit code. @param scope null: what counts */
export function getInFile(
  flags: GlobalFlags,
  asked: Setting | null,
  scope: Scope | null,
  format: Format,
): number {
  if (asked !== null) scopeOf(asked, scope);
  const { settingsFile, workspace } = placeOf(flags);
  const settings = checkSettings(settingsFile);
  if (typeof settings === 'string') return fail(settings);
  const view = { settings, workspace, env: process.env, scope };
  const all = (asked === null ? SETTINGS : [asked]).map((setting) => ({
    setting,
    value: valueShown(view, setting),
  }));
  if (asked === null) printAll(all, format);
  else for (const one of all) printOne(one, format);
  const notes = all.flatMap((shown) => notesOn(view, shown));
  const isNothing = all.every(({ value }) => value === undefined);
  if (isNothing && notes.length === 0)
    notes.push(
      `${asked?.name ?? 'Nothing'} is ${asked === null ? '' : 'not '}saved${scope === null ? '' : ` ${SCOPE_WORDS[scope]}`}.`,
    );
  for (const note of notes) tell(note);
  return EXIT.ok;
}

/** A value to save. */
export interface Wish {
  readonly setting: Setting;
  readonly value: SettingValue;
  /** Null: the usual one of the setting. */
  readonly scope: Scope | null;
  /** Whose model it is; null where that is not said. */
  readonly provider: string | null;
}

/** Saves one setting. A model with a slash is read with the help of the service. @throws UsageError */
export async function setInFile(flags: GlobalFlags, wish: Wish): Promise<number> {
  const { provider, setting, value } = wish;
  const scope = scopeOf(setting, wish.scope);
  const place = placeOf(flags);
  if (setting.name === 'provider')
    return save(place, [{ setting, scope, value: await providerMeant(place, String(value)), provider }]);
  if (setting.name === 'fast' && value === true) return saveFast(place, { setting, scope, value, provider });
  if (setting.name !== 'model') return save(place, [{ setting, scope, value, provider }]);
  const settings = checkSettings(place.settingsFile);
  if (typeof settings === 'string') return fail(settings);
  const holder = holderOf(settings, place, scope);
  if (provider === null && String(value).includes('/'))
    return connected(flags, async (connection) => {
      const read = await readModel(connection, String(value), { holder, unlisted: 'possible' });
      if (read.providerId !== null) tell(`Read as the model ${read.modelId} of ${read.providerId}.`);
      return save(place, [{ setting, scope, value: read.modelId, provider: read.providerId }]);
    });
  const owner = provider === null ? null : await providerMeant(place, provider);
  const note = await unlistedWords(place, owner ?? holder, String(value));
  const code = save(place, [{ setting, scope, value, provider: owner }]);
  if (note !== null && code === EXIT.ok) tell(note);
  return code;
}

/** The ID of a provider that may be called otherwise too. @throws UsageError when there is none */
async function providerMeant(place: Place, name: string): Promise<string> {
  const id = await providerId(place, name);
  if (id !== name) tell(`Read as ${id}.`);
  return id;
}

/** Says so where who answers here has no fast mode. */
async function saveFast(place: Place, change: Change): Promise<number> {
  const settings = checkSettings(place.settingsFile);
  if (typeof settings === 'string') return fail(settings);
  const code = save(place, [change]);
  const { value: provider } = deciding(settings, place.workspace, process.env).provider;
  if (code === EXIT.ok && provider !== null && !(await hasFastMode(place, provider)))
    tell(noFastWords(provider));
  return code;
}

/** The provider that a model of a scope would belong to; null where the service chooses. */
function holderOf(settings: Settings, { workspace }: Place, scope: Scope): string | null {
  const seen = scope === 'project' ? settings : { ...settings, workspaces: {} };
  return deciding(seen, workspace, {}).provider.value;
}

/** Takes settings away, all of them or none. */
export function unsetInFile(flags: GlobalFlags, all: readonly Setting[], asked: Scope | null): number {
  const place = placeOf(flags);
  const changes = all.map((setting) => ({
    setting,
    scope: scopeOf(setting, asked),
    value: undefined,
    provider: null,
  }));
  const settings = checkSettings(place.settingsFile);
  if (typeof settings === 'string') return fail(settings);
  const present = changes.filter(({ scope, setting }) => {
    const isSaved = savedAt(settings, place.workspace, setting, scope) !== undefined;
    if (!isSaved)
      tell(
        `${setting.name} is not saved ${SCOPE_WORDS[scope]}${elsewhere(settings, place, setting, scope)}.`,
      );
    return isSaved;
  });
  return present.length === 0 ? EXIT.ok : save(place, present);
}

/** Where else it is saved, and how to take it away there. */
function elsewhere(settings: Settings, { workspace }: Place, setting: Setting, scope: Scope): string {
  const other = scope === 'project' ? 'global' : 'project';
  if (savedAt(settings, workspace, setting, other) === undefined) return '';
  return `, but ${SCOPE_WORDS[other]}: --${other} takes it away there`;
}

/** Writes all changes or none, and says what they come to. */
function save({ settingsFile, workspace }: Place, changes: readonly Change[]): number {
  const notes: string[] = [];
  const written = updateSettings(settingsFile, (settings) => {
    let next = settings;
    for (const change of changes) {
      const step = changed(next, workspace, change);
      next = step.settings;
      notes.push(...step.notes);
    }
    return next;
  });
  if (!written.ok) return fail(settingsFailure(written.error));
  for (const note of notes) tell(note);
  for (const change of changes) {
    const { scope, setting, value } = change;
    const done =
      value === undefined
        ? `${setting.name} is not saved ${SCOPE_WORDS[scope]} any more.`
        : `Saved ${SCOPE_WORDS[scope]}.`;
    tell(`${done} ${hiddenWords(written.settings, workspace, process.env, change) ?? setting.holds}`);
  }
  return EXIT.ok;
}
