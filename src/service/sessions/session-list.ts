/** `session.list`: ordered by ID, bounded in what it looks at (PROTOCOL.md, "Sessions"). */
import { statSync } from 'node:fs';
import { parseLine } from '../../transcript/jsonl.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import { byteLength, encodedBytes } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import type { ListRequest, SessionSummary } from '../../wire/session.ts';
import { aboutOf, type Rollup, type SessionRollups } from '../profile/session-rollup.ts';
import { plainLine } from '../profile/snippet.ts';
import { isSessionId, type SessionFolder } from './session-folder.ts';
import { readStart } from './session-window.ts';

export interface SessionPage {
  readonly sessions: SessionSummary[];
  readonly next_after: string | null;
  readonly truncated: boolean;
  readonly incomplete: boolean;
}

export type Listing =
  | { readonly ok: true; readonly page: SessionPage }
  | { readonly ok: false; readonly code: ErrorCode };

const TITLE_LENGTH = 80;

/** Which sessions are listed, those in the archive or all others, and whether what they are about is told. */
export interface Wanted extends ListRequest {
  readonly withAbout: boolean;
}

/** Entries of one page, as JSON. The rest of the payload is small. */
const MAX_ENTRIES_BYTES = LIMITS.max_payload_bytes - 1_024;

export function listSessions(folder: SessionFolder, rollups: SessionRollups, request: Wanted): Listing {
  const limit = request.limit ?? LIMITS.max_session_page_items;
  const after = request.after ?? null;
  if (limit < 1 || limit > LIMITS.max_session_page_items) return { ok: false, code: 'limit_exceeded' };
  if (after !== null && byteLength(after) > LIMITS.max_id_bytes) return { ok: false, code: 'limit_exceeded' };
  if (after !== null && !isSessionId(after)) return { ok: false, code: 'invalid_session_id' };
  const ids = readIds(folder);
  if (typeof ids === 'string') return { ok: false, code: ids };
  const rest = ids.filter((id) => after === null || id > after);
  const sessions: SessionSummary[] = [];
  let room = MAX_ENTRIES_BYTES;
  let incomplete = false;
  let examined = 0;
  for (const id of rest.slice(0, limit)) {
    const rollup = rollups.of(id);
    const isWanted = rollup.archived === (request.archived ?? false);
    const summary = isWanted ? summaryOf(folder, rollup, id) : null;
    const entry = summary !== null && request.withAbout ? { ...summary, about: aboutOf(rollup) } : summary;
    room -= entry === null ? 0 : encodedBytes(entry) + 1;
    if (room < 0 && sessions.length > 0) break;
    examined += 1;
    incomplete ||= isWanted && entry === null;
    if (entry !== null) sessions.push(entry);
  }
  const truncated = rest.length > examined;
  const next_after = truncated ? (rest[examined - 1] ?? null) : null;
  return { ok: true, page: { sessions, next_after, truncated, incomplete } };
}

function readIds(folder: SessionFolder): string[] | ErrorCode {
  try {
    return folder.ids() ?? 'limit_exceeded';
  } catch {
    return 'session_unavailable';
  }
}

function summaryOf(folder: SessionFolder, rollup: Rollup, id: string): SessionSummary | null {
  const path = folder.path(id);
  const lines = startOf(path);
  if (lines === null) return null;
  try {
    const { mtimeNs } = statSync(path, { bigint: true });
    return {
      session_id: id,
      title: rollup.title ?? titleOf(lines),
      updated_at: timestamp(mtimeNs),
      ownership_hint: folder.isLeased(id) ? 'daemon-owned' : 'unowned',
    };
  } catch {
    return null;
  }
}

/** The name that was given, or what the user said first. */
export function titleFrom(path: string, given: string | null): string | null {
  return given ?? titleOf(startOf(path) ?? []);
}

/** The first lines behind the header; null when that is none. */
function startOf(path: string): string[] | null {
  const [header, ...lines] = readStart(path)?.toString('utf8').split('\n') ?? [];
  return parseLine(header ?? '').kind === 'header' ? lines : null;
}

/** RFC 3339 with nanoseconds. */
function timestamp(nanoseconds: bigint): string {
  const seconds = new Date(Number(nanoseconds / 1_000_000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}+00:00`;
}

function titleOf(lines: readonly string[]): string | null {
  for (const text of lines) {
    const line = parseLine(text);
    if (line.kind !== 'envelope' || line.envelope.role !== 'user') continue;
    const { ev } = line.envelope;
    if (ev.t === 'text') return plainTitle(ev.text);
  }
  return null;
}

/** One line without control or direction characters, at most 80 characters. */
export function plainTitle(text: string): string | null {
  const plain = plainLine(text);
  if (plain === '') return null;
  const characters = [...new Intl.Segmenter().segment(plain)].map(({ segment }) => segment);
  return characters.length <= TITLE_LENGTH ? plain : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}
