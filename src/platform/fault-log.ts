/** Where an unexpected fault of the client is written down: its stack, nothing of the conversation. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folder.ts';

/** Appends the fault to a private file. Returns the file's path, or null when it cannot be written. */
export function recordFault(stateRoot: string, error: unknown, now: Date): string | null {
  const folder = join(stateRoot, 'logs');
  const file = join(folder, 'client-faults.txt');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    makeFolder(folder);
    appendFileSync(file, `${now.toISOString()}\n${stack}\n\n`, { mode: 0o600 });
    return file;
  } catch {
    return null;
  }
}
