/** Keeps drafts and unsent messages in small files of their own, one per session, readable by their owner only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { makeFolder } from './folder.ts';

/** Opens the folder for kept JSON values. */
export class KeptFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The value kept under a key, or null when there is none or it cannot be read. */
  load(key: string): unknown {
    try {
      return JSON.parse(readFileSync(this.#path(key), 'utf8'));
    } catch {
      return null;
    }
  }

  /**
   * Replaces the value of a key as a whole.
   * @throws when the folder cannot be written
   */
  save(key: string, value: unknown): void {
    makeFolder(this.#folder);
    writeFileAtomic.sync(this.#path(key), JSON.stringify(value), { mode: 0o600 });
  }

  #path(key: string): string {
    return join(this.#folder, `${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.json`);
  }
}
