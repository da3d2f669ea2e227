/**
 * What `config get` shows of the settings file, and why that is not what runs where it is not. Pure.
 * Invariant: a value that counts for nothing is never shown as one that counts.
 */
import type { Settings } from '../../platform/settings.ts';
import { deciding, decidingWords } from './deciding.ts';
import { checkKeys } from './key-check.ts';
import { type Shown, valueText } from './print.ts';
import { type Scope, type Setting, type SettingValue, savedAt } from './setting.ts';
import { commandOf } from './setting-list.ts';

export interface View {
  readonly settings: Settings;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** Null: what counts of all that is saved. */
  readonly scope: Scope | null;
}

/** Undefined where nothing is saved. */
export function valueShown({ scope, settings, workspace }: View, setting: Setting): SettingValue | undefined {
  if (scope !== null) return savedAt(settings, workspace, setting, scope);
  if (setting.name === 'provider' || setting.name === 'model')
    return deciding(settings, workspace, {})[setting.name].value ?? undefined;
  const own = savedAt(settings, workspace, setting, 'project');
  const value = own ?? savedAt(settings, workspace, setting, 'global');
  return setting.schema.safeParse(value).success ? value : undefined;
}

/** What people should know beside the value, in sentences. */
export function notesOn(view: View, shown: Shown): readonly string[] {
  const notes = [...uselessNotes(view, shown), ...keyNotes(view, shown), ...otherNotes(view, shown)];
  return notes.map((note) => `${shown.setting.name}: ${note}`);
}

function uselessNotes({ scope, settings, workspace }: View, { setting }: Shown): readonly string[] {
  const scopes = scope === null ? setting.scopes : [scope];
  return scopes.flatMap((where) => {
    const saved = savedAt(settings, workspace, setting, where);
    const isFine = saved === undefined || setting.schema.safeParse(saved).success;
    return isFine ? [] : [`${JSON.stringify(valueText(saved))} counts for nothing: use ${setting.expects}.`];
  });
}

function keyNotes({ settings }: View, { setting, value }: Shown): readonly string[] {
  const command = commandOf(setting);
  if (command === null || value === undefined) return [];
  const keys = typeof value === 'object' ? value : [String(value)];
  return checkKeys(settings, command, keys).problems.map((problem) => `${problem}.`);
}

/** Who decides instead: the environment, or a folder that hides what is saved for every folder. */
function otherNotes(view: View, { setting, value }: Shown): readonly string[] {
  const { env, scope, settings, workspace } = view;
  if (setting.name !== 'provider' && setting.name !== 'model') return [];
  const decides = deciding(settings, workspace, env);
  const { by, value: counts } = decides[setting.name];
  const hidden = scope === null ? savedAt(settings, workspace, setting, 'global') : undefined;
  const isOther =
    by === 'environment'
      ? counts !== (value ?? null)
      : by === 'project' && counts === null && hidden !== undefined;
  return isOther ? [decidingWords(setting.name, decides)] : [];
}
