/**
 * `session.search`: a text in the names and texts of all sessions of this state root, newest first
 * (PROTOCOL.md, "Session profile").
 * Invariants: one request looks at a bounded number of bytes and says where it stopped; a session that grows
 * meanwhile is not looked at twice; letters of either case are the same.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import * as z from 'zod';
import { readEnvelope } from '../../transcript/envelope.ts';
import { encodedBytes } from '../../wire/json.ts';
import { SESSION_PROTOCOL_LIMITS, type SearchHit } from '../../wire/session-protocol.ts';
import type { SessionFolder } from '../sessions/session-folder.ts';
import { cursorOf } from './cursor.ts';
import { jsonOf } from './envelope-page.ts';
import { type SessionLine, SessionLines } from './session-lines.ts';
import { snippetAround } from './snippet.ts';

export interface SearchRequest {
  readonly query: string;
  readonly after: string | null;
  readonly limit: number;
  readonly titleOf: (id: string) => string | null;
  readonly isArchived: (id: string) => boolean;
}

export interface SearchPage {
  readonly hits: SearchHit[];
  readonly next_after: string | null;
  readonly truncated: boolean;
}

const MAX_SCAN_BYTES = 8 * 1_024 * 1_024;
const FRAME_BYTES = 256;
const CURSOR = /^s1_(\d{1,16})_([0-9a-f]{16})_(\d{1,15})$/;

interface Candidate {
  readonly id: string;
  readonly key: string;
  /** Unix time, ms. */
  readonly changedAt: number;
}

interface Place {
  readonly changedAt: number;
  readonly key: string;
  /** Byte before which the search goes on. */
  readonly offset: number;
}

/** Null when there are too many sessions to look at. A cursor of another make finds nothing more. */
export function searchSessions(folder: SessionFolder, request: SearchRequest): SearchPage | null {
  const candidates = candidatesOf(folder);
  if (candidates === null) return null;
  const from = request.after === null ? null : placeOf(request.after);
  if (from === null && request.after !== null) return { hits: [], next_after: null, truncated: false };
  return new Search(folder, request).run(
    candidates.filter((one) => from === null || isDue(one, from)),
    from,
  );
}

class Search {
  readonly #folder: SessionFolder;
  readonly #request: SearchRequest;
  readonly #pattern: RegExp;
  readonly #hits: SearchHit[] = [];
  #scanned = 0;
  #room = SESSION_PROTOCOL_LIMITS.max_page_bytes - FRAME_BYTES;

  constructor(folder: SessionFolder, request: SearchRequest) {
    this.#folder = folder;
    this.#request = request;
    this.#pattern = new RegExp(request.query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu');
  }

  run(candidates: readonly Candidate[], from: Place | null): SearchPage {
    for (const candidate of candidates) {
      if (this.#request.isArchived(candidate.id)) continue;
      const before = candidate.key === from?.key ? from.offset : null;
      const stoppedAt = this.#lookInto(candidate, before);
      if (stoppedAt === null) continue;
      const changedAt = before === null ? candidate.changedAt : (from?.changedAt ?? 0);
      const next_after = `s1_${changedAt}_${candidate.key}_${stoppedAt}`;
      return { hits: this.#hits, next_after, truncated: true };
    }
    return { hits: this.#hits, next_after: null, truncated: false };
  }

  /** Where to go on, or null when the session was looked at to its beginning. */
  #lookInto({ id }: Candidate, before: number | null): number | null {
    const lines = SessionLines.open(this.#folder.path(id), id);
    if (lines === null) return null;
    try {
      const to = before === null ? lines.end : Math.min(before, lines.end);
      let later: Said | null = null;
      for (const line of lines.backward(to)) {
        if (this.#scanned >= MAX_SCAN_BYTES || this.#hits.length >= this.#request.limit) return line.end;
        this.#scanned += line.end - line.offset;
        const said = saidIn(line.text);
        const hit = said === null ? null : this.#hitIn(id, line, said, later);
        if (hit !== null && !this.#take(hit)) return line.end;
        later = said;
      }
      return null;
    } finally {
      lines.close();
    }
  }

  /** The end of a match may stand in the next piece of the same message. */
  #hitIn(id: string, { offset }: SessionLine, said: Said, later: Said | null): SearchHit | null {
    const isContinued = later !== null && said.speaker !== null && later.speaker === said.speaker;
    const more = isContinued ? later.text.slice(0, this.#request.query.length * 2) : '';
    const text = said.text + more;
    const found = this.#pattern.exec(text);
    if (found === null || found.index >= said.text.length) return null;
    const envelope = readEnvelope(said.value);
    if (envelope === null) return null;
    const cursor = cursorOf({ offset, id: envelope.id });
    const snippet = snippetAround(text, found.index, found[0].length);
    return { session_id: id, title: this.#request.titleOf(id), cursor, time: envelope.time, snippet };
  }

  #take(hit: SearchHit): boolean {
    this.#room -= encodedBytes(hit) + 1;
    if (this.#room < 0 && this.#hits.length > 0) return false;
    this.#hits.push(hit);
    return true;
  }
}

/** What people said and read, and the names that were given. */
interface Said {
  readonly text: string;
  /** Neighbours with the same one are one message; null for what stands alone. */
  readonly speaker: string | null;
  /** The whole record, not yet held against the schema. */
  readonly value: unknown;
}

/** Cheap: most lines are about tools, and are not even parsed. */
function saidIn(line: string | null): Said | null {
  if (line === null || !MARKS.some((mark) => line.includes(mark))) return null;
  const value = jsonOf(line);
  const shape = said.safeParse(value);
  if (!shape.success) return null;
  const { ev, role, subagent, turn } = shape.data;
  if (ev.t === 'service') return ev.title === undefined ? null : { text: ev.title, speaker: null, value };
  if (ev.thinking === true) return null;
  const speaker = turn === undefined ? null : `${role} ${turn} ${subagent ?? ''}`;
  return { text: ev.text, speaker, value };
}

const MARKS = ['"t":"text"', '"t":"service"'];

const said = z.object({
  role: z.string(),
  turn: z.string().optional(),
  subagent: z.string().optional(),
  ev: z.discriminatedUnion('t', [
    z.object({ t: z.literal('text'), text: z.string(), thinking: z.boolean().optional() }),
    z.object({ t: z.literal('service'), title: z.string().optional() }),
  ]),
});

/** Newest first. */
function candidatesOf(folder: SessionFolder): Candidate[] | null {
  const ids = folder.ids();
  if (ids === null) return null;
  const found: Candidate[] = [];
  for (const id of ids) {
    const stats = statSync(folder.path(id), { throwIfNoEntry: false });
    const key = createHash('sha256').update(id).digest('hex').slice(0, 16);
    if (stats !== undefined) found.push({ id, key, changedAt: Math.floor(stats.mtimeMs) });
  }
  return found.sort((a, b) => b.changedAt - a.changedAt || (a.key < b.key ? -1 : 1));
}

function placeOf(cursor: string): Place | null {
  const [, changedAt, key, offset] = CURSOR.exec(cursor) ?? [];
  if (changedAt === undefined || key === undefined || offset === undefined) return null;
  return { changedAt: Number(changedAt), key, offset: Number(offset) };
}

/** What was not looked at before the search stopped at that place. */
function isDue({ changedAt, key }: Candidate, from: Place): boolean {
  if (key === from.key) return true;
  return changedAt < from.changedAt || (changedAt === from.changedAt && key > from.key);
}
