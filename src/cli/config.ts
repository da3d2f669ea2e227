/** `config get` and `config set`: the settings file, one value at a time. */
import { type Settings, updateSettings } from '../platform/settings.ts';
import { EXIT, type GlobalFlags, type Place, placeOf, UsageError } from './flags.ts';
import { checkSettings, settingsFailure } from './settings-check.ts';

const TEXT_KEYS = ['provider', 'model', 'thinkingLevel'] as const;
const ALLOW_KEYS = ['allow.bash', 'allow.writeOutside'] as const;
type TextKey = (typeof TEXT_KEYS)[number];
type AllowKey = (typeof ALLOW_KEYS)[number];

/** Prints one setting, or all that are set. Returns the exit code. */
export function configGet(flags: GlobalFlags, key: string | undefined): number {
  const place = placeOf(flags);
  const settings = checkSettings(place.settingsFile);
  if (typeof settings === 'string') return fail(settings);
  const wanted = key === undefined ? [...TEXT_KEYS, ...ALLOW_KEYS] : [knownKey(key)];
  for (const name of wanted) {
    const value = settingOf(settings, place, name);
    if (value !== undefined) process.stdout.write(key === undefined ? `${name} = ${value}\n` : `${value}\n`);
  }
  return EXIT.ok;
}

/** Changes one setting. Returns the exit code. */
export function configSet(flags: GlobalFlags, key: string, value: string): number {
  const place = placeOf(flags);
  const name = knownKey(key);
  const change = isAllowKey(name) ? allowing(place, name, truth(value)) : choosing(name, value);
  const written = updateSettings(place.settingsFile, change);
  return written.ok ? EXIT.ok : fail(settingsFailure(written.error));
}

function knownKey(key: string): TextKey | AllowKey {
  const known = [...TEXT_KEYS, ...ALLOW_KEYS].find((name) => name === key);
  if (known === undefined)
    throw new UsageError(`unknown setting ${key}: use one of ${[...TEXT_KEYS, ...ALLOW_KEYS].join(', ')}.`);
  return known;
}

function isAllowKey(name: TextKey | AllowKey): name is AllowKey {
  return name === 'allow.bash' || name === 'allow.writeOutside';
}

function truth(value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new UsageError(`${value} is not a choice: use true or false.`);
}

function settingOf(settings: Settings, place: Place, name: TextKey | AllowKey): string | boolean | undefined {
  const here = settings.workspaces?.[place.workspace];
  if (!isAllowKey(name)) return here?.[name] ?? settings[name];
  return name === 'allow.bash' ? here?.allow?.bash : here?.allow?.writeOutside;
}

function choosing(name: TextKey, value: string): (settings: Settings) => Settings {
  return (settings) => ({ ...settings, [name]: value });
}

function allowing({ workspace }: Place, name: AllowKey, value: boolean): (settings: Settings) => Settings {
  const member = name === 'allow.bash' ? 'bash' : 'writeOutside';
  return (settings) => {
    const here = settings.workspaces?.[workspace] ?? {};
    const changed = { ...here, allow: { ...here.allow, [member]: value } };
    return { ...settings, workspaces: { ...settings.workspaces, [workspace]: changed } };
  };
}

function fail(text: string): number {
  process.stderr.write(`magi-term: ${text}\n`);
  return EXIT.failed;
}
