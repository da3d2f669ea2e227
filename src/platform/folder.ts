/** Makes a folder and those above it. The runtime's own way never ends below a file system that makes none, such as /proc. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Does nothing for a folder that is there.
 * @param mode of every folder that is made
 * @throws Error of the system: no right, no space, a file in the way
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (make(path, mode) === 'made') return;
  makeFolder(dirname(path), mode);
  if (make(path, mode) === 'no parent') statSync(path);
}

function make(path: string, mode: number): 'made' | 'no parent' {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' && dirname(path) !== path) return 'no parent';
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
  return 'made';
}
