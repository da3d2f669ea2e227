/** A broken settings file is told before anything starts: file, line, reason, next step. */
import { readSettings, type Settings } from '../platform/settings.ts';
import { settingsFailure } from '../platform/settings-failure.ts';

/** The settings, or the failure of their file as a line; unknown settings are warned about on stderr. */
export function checkSettings(file: string): Settings | string {
  const read = readSettings(file);
  if (!read.ok) return settingsFailure(read.error);
  for (const warning of read.warnings) process.stderr.write(`magi-term: ${file}: ${warning} (ignored)\n`);
  return read.settings;
}
