/**
 * What a change of one setting does to the file, and what people are told of it. Pure.
 * Invariant: a provider never gets the model of another one, and a model never the thinking level of another one:
 * the level is reset as `config.set` does it (PROTOCOL.md, "Configuration").
 */
import type { Settings } from '../../platform/settings.ts';
import { UsageError } from '../flags.ts';
import { type Deciding, deciding, decidingWords } from './deciding.ts';
import { checkKeys } from './key-check.ts';
import { valueText } from './print.ts';
import { SCOPE_WORDS, type Scope, type Setting, type SettingValue, savedAt, withSaved } from './setting.ts';
import { commandOf } from './setting-list.ts';

export interface Change {
  readonly setting: Setting;
  readonly scope: Scope;
  /** Undefined takes it away. */
  readonly value: SettingValue | undefined;
  /** Saved with a model; null leaves the provider as it is. */
  readonly provider: string | null;
}

export interface Changed {
  readonly settings: Settings;
  /** What else changed, in sentences. */
  readonly notes: readonly string[];
}

const PROVIDER = { path: ['provider'] };
const MODEL = { path: ['model'] };
const LEVEL = { path: ['thinkingLevel'] };

/** @throws UsageError for keys that cannot be had */
export function changed(settings: Settings, workspace: string, change: Change): Changed {
  const { provider, scope, setting, value } = change;
  const plain = withSaved(settings, workspace, setting, scope, value);
  const command = commandOf(setting);
  if (command !== null) return { settings: plain, notes: keyNotes(settings, command, value) };
  if (setting.name !== 'provider' && setting.name !== 'model') return { settings: plain, notes: [] };
  const whole = provider === null ? plain : withSaved(plain, workspace, PROVIDER, scope, provider);
  const own = setting.name === 'provider' ? withoutForeignModel(settings, whole, workspace, scope) : null;
  const reset = value === undefined ? null : withoutLevel(own?.settings ?? whole, workspace, scope);
  return {
    settings: reset?.settings ?? own?.settings ?? whole,
    notes: [...(own?.notes ?? []), ...(reset?.notes ?? [])],
  };
}

function keyNotes(settings: Settings, command: string, value: SettingValue | undefined): readonly string[] {
  if (typeof value !== 'object') return [];
  const { problems, taken } = checkKeys(settings, command, value);
  if (problems.length > 0) throw new UsageError(`${problems.join('; ')}. Nothing was changed.`);
  return taken;
}

/** A model that was saved with another provider is not one of this. */
function withoutForeignModel(
  before: Settings,
  after: Settings,
  workspace: string,
  scope: Scope,
): Changed | null {
  const was = savedAt(before, workspace, PROVIDER, scope);
  const model = savedAt(after, workspace, MODEL, scope);
  if (was === undefined || model === undefined || was === savedAt(after, workspace, PROVIDER, scope))
    return null;
  const note = `The model ${valueText(model)} was one of ${valueText(was)}: it is not saved ${SCOPE_WORDS[scope]} any more.`;
  return { settings: withSaved(after, workspace, MODEL, scope, undefined), notes: [note] };
}

function withoutLevel(settings: Settings, workspace: string, scope: Scope): Changed | null {
  const level = savedAt(settings, workspace, LEVEL, scope);
  if (level === undefined || level === 'default') return null;
  const note = `thinkingLevel was ${valueText(level)} and is default again: every model begins with it.`;
  return { settings: withSaved(settings, workspace, LEVEL, scope, 'default'), notes: [note] };
}

/** Why a change does not count here, as a sentence; null when it does. */
export function hiddenWords(
  settings: Settings,
  workspace: string,
  env: NodeJS.ProcessEnv,
  { scope, setting, value }: Change,
): string | null {
  if (setting.name === 'provider' || setting.name === 'model')
    return selectionHidden(setting.name, scope, value, deciding(settings, workspace, env));
  if (scope === 'project' || !setting.scopes.includes('project')) return null;
  const own = savedAt(settings, workspace, setting, 'project');
  if (own === undefined || own === value) return null;
  return `What is saved for this folder decides here: ${valueText(own)}.`;
}

function selectionHidden(
  name: 'provider' | 'model',
  scope: Scope,
  value: SettingValue | undefined,
  decides: Deciding,
): string | null {
  const { by, value: counts } = decides[name];
  const isOurs = by === null || by === scope || (by === 'global' && value === undefined);
  return isOurs || counts === value ? null : decidingWords(name, decides);
}
