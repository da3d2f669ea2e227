/**
 * What the stream of a session says about the session as a whole: its name, whether it is archived, its choices
 * (PROTOCOL.md, "Session profile"). Kept in memory only; a file that has grown is read on from where it ended.
 * Invariant: lines are looked at only where the bytes of a certain type stand; whether they are an envelope of
 * that type, and not a text about one, is decided by parsing the line.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { readEnvelope } from '../../transcript/envelope.ts';
import { jsonOf } from './envelope-page.ts';
import { NO_CHOICES, type SessionChoices, withChange } from './session-choices.ts';
import { SessionLines } from './session-lines.ts';

export interface Rollup {
  /** Null when the session was never named. */
  readonly title: string | null;
  readonly archived: boolean;
  readonly choices: SessionChoices;
}

interface Kept {
  readonly inode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  /** Byte up to which everything was looked at. */
  readonly upTo: number;
  readonly rollup: Rollup;
}

const NOTHING: Rollup = { title: null, archived: false, choices: NO_CHOICES };
const MARKS = ['"t":"service"', '"t":"agent-configuration-changed"'];
const MAX_KEPT = 4_096;

export class SessionRollups {
  readonly #path: (id: string) => string;
  readonly #kept = new Map<string, Kept>();

  /** @param path of a session's file */
  constructor(path: (id: string) => string) {
    this.#path = path;
  }

  /** Of a session that cannot be read: as if nothing had been said. */
  of(id: string): Rollup {
    const path = this.#path(id);
    const stats = statOf(path);
    if (stats === null) return NOTHING;
    const kept = this.#kept.get(id);
    const { ino, mtimeNs, size } = stats;
    if (kept?.inode === ino && kept.size === size && kept.mtimeNs === mtimeNs) return kept.rollup;
    const goesOn = kept !== undefined && kept.inode === ino && size >= BigInt(kept.upTo);
    const lines = SessionLines.open(path, id);
    if (lines === null) return NOTHING;
    try {
      const from = goesOn ? kept.upTo : lines.start;
      const rollup = readOn(lines, from, goesOn ? kept.rollup : NOTHING);
      if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
      this.#kept.set(id, { inode: ino, size, mtimeNs, upTo: lines.end, rollup });
      return rollup;
    } finally {
      lines.close();
    }
  }
}

function readOn(lines: SessionLines, from: number, before: Rollup): Rollup {
  let rollup = before;
  for (const { text } of lines.marked(from, MARKS)) if (text !== null) rollup = withLine(rollup, text);
  return rollup;
}

function withLine(rollup: Rollup, text: string): Rollup {
  const value = jsonOf(text);
  const ev = readEnvelope(value) === null ? null : evOf(value);
  if (ev === null) return rollup;
  if (ev.t === 'agent-configuration-changed') return { ...rollup, choices: withChange(rollup.choices, ev) };
  if (ev.t !== 'service') return rollup;
  const title = typeof ev.title === 'string' ? ev.title : rollup.title;
  const archived = typeof ev.archived === 'boolean' ? ev.archived : rollup.archived;
  return { ...rollup, title, archived };
}

function evOf(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || !('ev' in value)) return null;
  const { ev } = value;
  return typeof ev === 'object' && ev !== null ? { ...ev } : null;
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}
