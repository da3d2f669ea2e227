/** Where sessions lie: `<state root>/sessions/<id>.jsonl`, one lease file beside each (PROTOCOL.md, "Sessions"). */
import { closeSync, constants, fsyncSync, lstatSync, opendirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../platform/folder.ts';
import { acquireLock, isLockHeld, type Lock, LockError } from '../../platform/lock.ts';
import { formatLine } from '../../transcript/jsonl.ts';
import { LIMITS } from '../../wire/limits.ts';

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const EXTENSION = '.jsonl';

export function isSessionId(value: string): boolean {
  return SESSION_ID.test(value);
}

export type Lease =
  | { readonly kind: 'held'; readonly lock: Lock }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unusable'; readonly reason: string };

export class SessionFolder {
  readonly #directory: string;

  constructor(stateRoot: string) {
    this.#directory = join(stateRoot, 'sessions');
  }

  path(id: string): string {
    return join(this.#directory, `${id}${EXTENSION}`);
  }

  #leasePath(id: string): string {
    return join(this.#directory, `${id}.lock`);
  }

  /** Creates the folder. @throws when that is impossible */
  prepare(): void {
    makeFolder(this.#directory);
  }

  exists(id: string): boolean {
    try {
      return lstatSync(this.path(id)).isFile();
    } catch {
      return false;
    }
  }

  /** Writes the header of a new session durably. @throws when that is impossible */
  create(id: string, workspace: string, now: number): void {
    this.prepare();
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const descriptor = openSync(this.path(id), flags, 0o600);
    try {
      const about = { session_id: id, created_at: now, workspace };
      writeSync(descriptor, formatLine({ format: 'magi-term-session', version: 1, ...about }));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** The writer lease: one process at a time. */
  lease(id: string): Lease {
    try {
      const lock = acquireLock(this.#leasePath(id));
      return lock === null ? { kind: 'busy' } : { kind: 'held', lock };
    } catch (error) {
      if (error instanceof LockError) return { kind: 'unusable', reason: error.message };
      throw error;
    }
  }

  isLeased(id: string): boolean {
    return isLockHeld(this.#leasePath(id));
  }

  /** All session IDs in order, or null when the folder holds too many entries to look at. */
  ids(): string[] | null {
    const found: string[] = [];
    let scanned = 0;
    let directory: ReturnType<typeof opendirSync>;
    try {
      directory = opendirSync(this.#directory);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        scanned += 1;
        if (scanned > LIMITS.max_session_list_scan_entries) return null;
        const id = entry.name.slice(0, -EXTENSION.length);
        if (entry.name.endsWith(EXTENSION) && entry.isFile() && isSessionId(id)) found.push(id);
      }
    } finally {
      directory.closeSync();
    }
    return found.sort();
  }
}
