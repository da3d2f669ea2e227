/** A lock between processes that is waited for, within a bound. */
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, type Lock } from '../../platform/lock.ts';

/** Between two attempts; by chance up to twice as long. */
const PAUSE_MS = 15;

/**
 * Null when others held it all the time.
 * @throws LockError when the file cannot be used as a lock
 */
export async function awaitLock(path: string, withinMs: number): Promise<Lock | null> {
  const until = performance.now() + withinMs;
  for (;;) {
    const lock = acquireLock(path);
    if (lock !== null || performance.now() >= until) return lock;
    await sleep(PAUSE_MS * (1 + Math.random()));
  }
}
