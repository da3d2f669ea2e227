/**
 * Locks between processes, without heartbeats and without native modules.
 * SQLite takes its exclusive file lock (fcntl), which the kernel drops when the process ends, however it ends.
 * Invariants: the file is never removed; while a lock is held this process never opens the file again,
 * because closing any descriptor of a file drops all fcntl locks that the process has on it.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

export interface Lock {
  release(): void;
}

/** The lock file cannot be used at all; a lock that someone else holds is not an error. */
export class LockError extends Error {}

/** Locks of this process by `device:inode`: two names of one file are one lock. */
const held = new Map<string, DatabaseSync>();

const SQLITE_BUSY = 5;
const TAKE = 'PRAGMA journal_mode=MEMORY; PRAGMA busy_timeout=0; BEGIN EXCLUSIVE';

/**
 * Takes the lock, or returns null when another holder (also in this process) has it.
 * @throws LockError when the file is not a private regular file, or cannot be created
 */
export function acquireLock(path: string): Lock | null {
  const existing = statOf(path);
  if (existing !== null && held.has(keyOf(existing))) return null;
  const key = createLockFile(path);
  const database = open(path);
  if (database === null) return null;
  const now = statOf(path);
  if (now === null || keyOf(now) !== key) {
    database.close();
    throw new LockError(`${path} was replaced while it was being locked.`);
  }
  held.set(key, database);
  return {
    release: () => {
      if (held.delete(key)) database.close();
    },
  };
}

/** Whether anyone holds the lock, this process included. Creates nothing. */
export function isLockHeld(path: string): boolean {
  const existing = statOf(path);
  if (existing === null) return false;
  if (held.has(keyOf(existing))) return true;
  try {
    const lock = acquireLock(path);
    lock?.release();
    return lock === null;
  } catch {
    return false;
  }
}

function statOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function keyOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}

function createLockFile(path: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new LockError(`${path} cannot be opened as a lock file: ${messageOf(error)}`, { cause: error });
  }
  try {
    const stats = fstatSync(descriptor);
    const uid = process.geteuid?.() ?? stats.uid;
    if (!stats.isFile() || stats.nlink !== 1 || stats.uid !== uid || (stats.mode & 0o077) !== 0)
      throw new LockError(`${path} is not a private file of this user.`);
    return keyOf(stats);
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): DatabaseSync | null {
  const { DatabaseSync: Database } = loadSqlite();
  let database: DatabaseSync | null = null;
  try {
    database = new Database(path);
    database.exec(TAKE);
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw new LockError(`${path} cannot be locked: ${messageOf(error)}`, { cause: error });
  }
}

/** Older Node versions warn on first use that the module is experimental: nothing a person could act on. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_BUSY;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
