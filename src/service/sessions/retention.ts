/**
 * Sessions that nobody wants to keep any longer (PROTOCOL.md, "Embedded service"). Nothing goes unless the setting
 * `keepSessionsDays` says so.
 * Invariants: only a session that no process holds goes; age is counted from the newest session and from now,
 * whichever is less, so that a clock that runs ahead deletes nothing.
 */
import { rmSync, statSync } from 'node:fs';
import type { Log } from '../log.ts';
import type { SessionFolder } from './session-folder.ts';

const DAY_MS = 86_400_000;

export interface RetentionOptions {
  readonly folder: SessionFolder;
  /** Days since the last word; null keeps everything. */
  readonly days: number | null;
  /** Unix time, ms. */
  readonly now: number;
  readonly log: Log;
}

/** Removes what is too old. The result is how many sessions went. */
export function expireSessions({ days, folder, log, now }: RetentionOptions): number {
  if (days === null) return 0;
  const aged = (folder.ids() ?? []).map((id) => ({ id, at: changedAt(folder.path(id)) }));
  const newest = aged.reduce((most, { at }) => Math.max(most, at ?? 0), 0);
  const limit = Math.min(now, newest) - days * DAY_MS;
  let gone = 0;
  for (const { at, id } of aged) if (at !== null && at < limit && remove(folder, id, limit)) gone += 1;
  if (gone > 0) log.info('old sessions were removed', { count: gone, days });
  return gone;
}

function remove(folder: SessionFolder, id: string, limit: number): boolean {
  const lease = folder.lease(id);
  if (lease.kind !== 'held') return false;
  try {
    const at = changedAt(folder.path(id));
    if (at === null || at >= limit) return false;
    rmSync(folder.path(id));
    rmSync(folder.path(id).replace(/\.jsonl$/, '.tools'), { recursive: true, force: true });
    return true;
  } catch {
    return false;
  } finally {
    lease.lock.release();
  }
}

function changedAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
