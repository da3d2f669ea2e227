/** A settings file that cannot be used, in words: file, line, reason, next step. */
import type { SettingsError } from './settings.ts';

/** One line for people. */
export function settingsFailure({ file, line, column, reason }: SettingsError): string {
  const place = line > 0 ? `${file}:${line}:${column}` : file;
  return `${place}: ${reason}. Mend the file, or move it away to go on with defaults.`;
}
