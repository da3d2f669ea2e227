/** A settings file that cannot be used, in words: file, line, reason, next step. */
import type { SettingsError } from './settings.ts';

/** One line for people. */
export function settingsFailure(error: SettingsError): string {
  const { column, file, line, reason } = error;
  const place = line > 0 ? `${file}:${line}:${column}` : file;
  return `${place}: ${reason}. ${nextStep(error)}`;
}

function nextStep({ kind }: SettingsError): string {
  switch (kind) {
    case 'content':
      return 'Mend the file, or move it away to go on with defaults.';
    case 'right-to-read':
      return 'You may not read it: see who owns the file and its folder, and what they allow (ls -l).';
    case 'right-to-write':
      return 'Nothing was saved. You may not write there: see who owns the file and its folder, and what they allow (ls -l).';
    case 'read-only':
      return 'Nothing was saved. Its owner protected it: chmod u+w lets it be changed again.';
    case 'way':
      return 'Nothing was saved. Try again when nothing is in the way any more.';
  }
}
