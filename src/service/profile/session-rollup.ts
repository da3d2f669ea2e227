/**
 * What the stream of a session says about the session as a whole: its name, whether it is archived, its choices, who
 * held it last, what it has used (PROTOCOL.md, "Session profile"). Kept in memory only, so that the stream is all
 * there is to rebuild it from; a file that has grown is read on from where it ended.
 * Invariant: lines are looked at only where the bytes of a certain type stand; whether they are an envelope of
 * that type, and not a text about one, is decided by parsing the line.
 */
import { type BigIntStats, statSync } from 'node:fs';
import type { Usage } from '../../agent/runtime.ts';
import { isKnown, readEnvelope, type SessionEvent } from '../../transcript/envelope.ts';
import type { SessionAbout } from '../../wire/session.ts';
import { jsonOf } from './envelope-page.ts';
import { NO_CHOICES, type SessionChoices, withChange } from './session-choices.ts';
import { SessionLines } from './session-lines.ts';

export interface Rollup {
  /** Null when the session was never named. */
  readonly title: string | null;
  readonly archived: boolean;
  readonly choices: SessionChoices;
  /** Who held control last, also after it was given back; null when nobody with the profile did. */
  readonly holder: Holder | null;
  /** Of all turns that were counted. */
  readonly usage: Usage;
}

type Counted = NonNullable<Extract<SessionEvent, { t: 'turn-end' }>['usage']>;

interface Holder {
  readonly clientType: string;
  /** Unix time of the claim, ms. */
  readonly time: number;
}

interface Kept {
  readonly inode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  /** Byte up to which everything was looked at. */
  readonly upTo: number;
  readonly rollup: Rollup;
}

const NOTHING: Rollup = {
  title: null,
  archived: false,
  choices: NO_CHOICES,
  holder: null,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cost: 0 },
};
const MARKS = ['service', 'agent-configuration-changed', 'session-control-changed', 'turn-end'].map(
  (type) => `"t":"${type}"`,
);
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
  const read = readEnvelope(jsonOf(text));
  if (read === null || !isKnown(read)) return rollup;
  const { ev, time } = read;
  switch (ev.t) {
    case 'service':
      return { ...rollup, title: ev.title ?? rollup.title, archived: ev.archived ?? rollup.archived };
    case 'agent-configuration-changed':
      return { ...rollup, choices: withChange(rollup.choices, ev) };
    case 'session-control-changed':
      // The service itself stands for nobody.
      return ev.clientType === 'daemon' ? rollup : { ...rollup, holder: { clientType: ev.clientType, time } };
    case 'turn-end':
      return ev.usage === undefined ? rollup : { ...rollup, usage: sum(rollup.usage, ev.usage) };
    default:
      return rollup;
  }
}

function sum(before: Usage, more: Counted): Usage {
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cacheReadTokens: before.cacheReadTokens + (more.cacheReadTokens ?? 0),
    cost: before.cost + more.cost,
  };
}

/** A rollup as the wire tells it, without what stands beside it. */
export function aboutOf({ choices, holder, usage }: Rollup): SessionAbout {
  const { permissionMode: permission_mode, selection, thinkingLevel: thinking_level } = choices;
  return {
    holder: holder === null ? null : { client_type: holder.clientType, time: holder.time },
    permission_mode,
    selection: selection === null ? null : { provider_id: selection.provider, model_id: selection.model },
    thinking_level,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cost: usage.cost,
    },
  };
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}
