/**
 * `config get`, `config set` and `config unset`: one setting at a time (PROTOCOL.md, "Configuration"). They read and
 * change the settings file; with `--service` or `--socket`, what another service tells and takes over the wire.
 */

import { type GlobalFlags, isElsewhere, UsageError } from '../flags.ts';
import { getInFile, setInFile, unsetInFile } from './file.ts';
import type { Format } from './print.ts';
import { parseValue, type Scope, type Setting } from './setting.ts';
import { settingNamed } from './setting-list.ts';
import { getOverWire, setOverWire } from './wire.ts';

export interface ScopeFlags {
  readonly project?: boolean;
  readonly global?: boolean;
}

/** Prints one setting, or all that are saved. Returns the exit code. @throws UsageError */
export async function configGet(
  flags: GlobalFlags,
  key: string | undefined,
  own: ScopeFlags & { readonly json?: boolean },
): Promise<number> {
  const asked = key === undefined ? null : settingNamed(key);
  const format: Format = own.json === true ? 'json' : 'text';
  if (!isElsewhere(flags)) return getInFile(flags, asked, scopeAsked(own), format);
  if (scopeAsked(own) !== null)
    throw new UsageError('another service tells only what counts: leave --project and --global out.');
  return getOverWire(flags, asked === null ? null : onWire(asked), format);
}

/** Changes one setting. Returns the exit code. @throws UsageError */
export async function configSet(
  flags: GlobalFlags,
  key: string,
  text: string,
  own: ScopeFlags & { readonly provider?: string },
): Promise<number> {
  const setting = settingNamed(key);
  const provider = own.provider ?? null;
  if (provider !== null && setting.name !== 'model')
    throw new UsageError('--provider says whose model it is: it goes with config set model only.');
  if (provider !== null) parseValue(settingNamed('provider'), provider);
  const change = { setting, value: parseValue(setting, text), scope: scopeAsked(own), provider };
  if (!isElsewhere(flags)) return setInFile(flags, change);
  return setOverWire(flags, { ...change, setting: onWire(setting) });
}

/** Takes settings away, all of them or none. Returns the exit code. @throws UsageError */
export async function configUnset(
  flags: GlobalFlags,
  keys: readonly string[],
  own: ScopeFlags,
): Promise<number> {
  const settings = keys.map(settingNamed);
  if (isElsewhere(flags))
    throw new UsageError(
      'another service takes values only: set another one, such as config set thinkingLevel default.',
    );
  return unsetInFile(flags, settings, scopeAsked(own));
}

/** The command line takes one of them only. */
function scopeAsked({ global, project }: ScopeFlags): Scope | null {
  if (project === true) return 'project';
  return global === true ? 'global' : null;
}

const ON_WIRE = ['provider', 'model', 'thinkingLevel', 'fast'];

/** @throws UsageError for what the wire does not carry */
function onWire(setting: Setting): Setting {
  if (ON_WIRE.includes(setting.name)) return setting;
  throw new UsageError(
    `${setting.name} does not go over the wire, only ${ON_WIRE.join(', ')} do: it stands in magi-term's own settings, so leave --service and --socket out.`,
  );
}
