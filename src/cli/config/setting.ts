/**
 * One setting of the file: where it stands, what it takes, from when on it holds. Pure.
 * Invariant: writing one setting leaves every other member of the file as it is.
 */
import * as z from 'zod';
import { type Settings, settingsSchema } from '../../platform/settings.ts';
import { UsageError } from '../flags.ts';

export type Scope = 'project' | 'global';
export type SettingValue = string | number | boolean | readonly string[];

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  project: 'for this folder',
  global: 'for every folder',
};

export interface Setting {
  readonly name: string;
  /** Members that lead to it, in the file for every folder, or in the part of one. */
  readonly path: readonly string[];
  /** Where it can be saved, the usual place first. */
  readonly scopes: readonly [Scope, ...Scope[]];
  /** Why it cannot be saved elsewhere; empty when it can be saved everywhere. */
  readonly elsewhere: string;
  readonly schema: z.ZodType;
  /** What it takes, behind "use". */
  readonly expects: string;
  /** From when on a change holds: a sentence. */
  readonly holds: string;
  /** Reads a value as it is typed; absent where the schema tells texts, numbers and truth apart. */
  readonly read?: (text: string) => SettingValue;
}

/** The value that a text stands for. @throws UsageError when the setting does not take it */
export function parseValue(setting: Setting, text: string): SettingValue {
  const { expects, name, read, schema } = setting;
  const candidates = read === undefined ? [literal(text), text] : [read(text)];
  const value = candidates.find((candidate) => schema.safeParse(candidate).success);
  if (value === undefined)
    throw new UsageError(`${JSON.stringify(text)} is no value for ${name}: use ${expects}.`);
  return value;
}

function literal(text: string): SettingValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** The scope that was asked for, or the usual one. @throws UsageError when it cannot be saved there */
export function scopeOf({ elsewhere, name, scopes }: Setting, asked: Scope | null): Scope {
  if (asked === null || scopes.includes(asked)) return asked ?? scopes[0];
  throw new UsageError(`${name} cannot be saved ${SCOPE_WORDS[asked]}: ${elsewhere}`);
}

/** What is saved in a scope; undefined when nothing is. */
export function savedAt(
  settings: Settings,
  workspace: string,
  { path }: Pick<Setting, 'path'>,
  scope: Scope,
): SettingValue | undefined {
  let found: unknown = settings;
  for (const member of [...prefixOf(scope, workspace), ...path]) found = memberOf(found, member);
  const value = settingValue.safeParse(found);
  return value.success ? value.data : undefined;
}

const settingValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** The settings with one more value, or with one less; what becomes empty by that goes too. */
export function withSaved(
  settings: Settings,
  workspace: string,
  { path }: Pick<Setting, 'path'>,
  scope: Scope,
  value: SettingValue | undefined,
): Settings {
  const changed = withMember(settings, [...prefixOf(scope, workspace), ...path], value);
  return settingsSchema.parse(changed ?? {});
}

function prefixOf(scope: Scope, workspace: string): readonly string[] {
  return scope === 'global' ? [] : ['workspaces', workspace];
}

function memberOf(holder: unknown, member: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined;
}

function withMember(
  holder: unknown,
  [member, ...rest]: readonly string[],
  value: SettingValue | undefined,
): unknown {
  if (member === undefined) return value;
  const inner = withMember(memberOf(holder, member), rest, value);
  const others = isObject(holder) ? holder : {};
  if (inner !== undefined) return { ...others, [member]: inner };
  const { [member]: _gone, ...left } = others;
  return Object.keys(left).length === 0 ? undefined : left;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
