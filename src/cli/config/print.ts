/** Settings on stdout, and on stderr what people should know beside them. */
import { sanitiseLine } from '../../render/sanitise.ts';
import { EXIT } from '../flags.ts';
import type { Setting, SettingValue } from './setting.ts';

export type Format = 'text' | 'json';

export interface Shown {
  readonly setting: Setting;
  /** Undefined where nothing is saved. */
  readonly value: SettingValue | undefined;
}

/** One value alone; nothing, or null, where there is none. */
export function printOne({ value }: Shown, format: Format): void {
  if (format === 'json') process.stdout.write(`${JSON.stringify(value ?? null)}\n`);
  else if (value !== undefined) process.stdout.write(`${valueText(value)}\n`);
}

/** All that have a value: a line each, or one JSON object. */
export function printAll(all: readonly Shown[], format: Format): void {
  const present = all.filter(({ value }) => value !== undefined);
  if (format === 'json') {
    const object = Object.fromEntries(present.map(({ setting, value }) => [setting.name, value]));
    process.stdout.write(`${JSON.stringify(object)}\n`);
    return;
  }
  for (const { setting, value } of present)
    if (value !== undefined) process.stdout.write(`${setting.name} = ${valueText(value)}\n`);
}

/** A value as it is typed. */
export function valueText(value: SettingValue): string {
  if (typeof value !== 'object') return sanitiseLine(String(value));
  return value.length === 0 ? 'none' : sanitiseLine(value.join(' '));
}

/** What the fast mode does where a provider has none. */
export function noFastWords(provider: string): string {
  return `${sanitiseLine(provider)} answers, and has no fast mode: it answers as before.`;
}

export function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Returns the exit code. */
export function fail(sentence: string): number {
  process.stderr.write(`magi-term: ${sentence}\n`);
  return EXIT.failed;
}
