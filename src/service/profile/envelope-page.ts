/**
 * One page of a session's envelopes, in either direction (PROTOCOL.md, "Session profile").
 * Invariants: oldest first, whatever the direction; a page that says that there is more holds at least one
 * envelope, so that reading moves on; a cursor that does not fit what stands at its place asks for a resync.
 */
import { readEnvelope } from '../../transcript/envelope.ts';
import { byteLength, encodedBytes } from '../../wire/json.ts';
import {
  type EnvelopesResult,
  type PlacedEnvelope,
  SESSION_PROTOCOL_LIMITS,
} from '../../wire/session-protocol.ts';
import { cursorOf, placeOf } from './cursor.ts';
import { wireEnvelopeOf } from './envelope-bounds.ts';
import type { SessionLine, SessionLines } from './session-lines.ts';

export interface PageRange {
  readonly before: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/** A longer stretch without one readable envelope is not searched to its end. */
const MAX_SCAN_BYTES = 16 * 1_024 * 1_024;
const FRAME: EnvelopesResult = {
  envelopes: [],
  first_cursor: null,
  last_cursor: null,
  has_earlier: false,
  has_later: false,
  gap: false,
  resync_required: false,
};
/** Two cursors at their longest. */
const FRAME_BYTES = encodedBytes(FRAME) + 2 * 64;

export function envelopePage(lines: SessionLines, { after, before, limit }: PageRange): EnvelopesResult {
  if (after !== null) {
    const from = endAt(lines, after);
    if (from === null) return { ...FRAME, resync_required: true };
    return pageFrom(lines, lines.forward(from), { limit, from });
  }
  const to = before === null ? lines.end : startAt(lines, before);
  if (to === null) return { ...FRAME, resync_required: true };
  return pageUpTo(lines, lines.backward(to), { limit, to });
}

function pageFrom(
  lines: SessionLines,
  found: Iterable<SessionLine>,
  { from, limit }: { from: number; limit: number },
): EnvelopesResult {
  const { gap, end, placed } = fill(found, limit, from);
  const has_later = placed.length > 0 && end < lines.end;
  const isTorn = lines.isTorn && !has_later;
  return resultOf(placed, { has_earlier: from > lines.start, has_later, gap: gap || isTorn });
}

function pageUpTo(
  lines: SessionLines,
  found: Iterable<SessionLine>,
  { limit, to }: { limit: number; to: number },
): EnvelopesResult {
  const { gap, offset, placed } = fill(found, limit, to);
  const has_earlier = placed.length > 0 && offset > lines.start;
  const isTorn = lines.isTorn && to === lines.end;
  return resultOf(placed.reverse(), { has_earlier, has_later: to < lines.end, gap: gap || isTorn });
}

interface Filled {
  readonly placed: PlacedEnvelope[];
  readonly gap: boolean;
  /** Of the last line that was looked at and is not left for the next page. */
  readonly offset: number;
  readonly end: number;
}

/** As many envelopes as fit, in the order in which their lines come. */
function fill(found: Iterable<SessionLine>, limit: number, from: number): Filled {
  let room = SESSION_PROTOCOL_LIMITS.max_page_bytes - FRAME_BYTES;
  let gap = false;
  let seen = { offset: from, end: from };
  let scanned = 0;
  const placed: PlacedEnvelope[] = [];
  for (const line of found) {
    if (placed.length === limit) break;
    scanned += line.end - line.offset;
    const read = readLine(line);
    if (read === null || !read.isWhole) gap = true;
    if (read !== null) {
      room -= byteLength(JSON.stringify(read.placed)) + 1;
      if (room < 0 && placed.length > 0) break;
      placed.push(read.placed);
    }
    seen = line;
    if (scanned > MAX_SCAN_BYTES && read === null) break;
  }
  return { placed, gap, offset: seen.offset, end: seen.end };
}

/** The envelope of a line as the wire may carry it; null when there is none. */
function readLine(line: SessionLine): { placed: PlacedEnvelope; isWhole: boolean } | null {
  const value = jsonOf(line.text);
  const read = readEnvelope(value);
  if (read === null || typeof value !== 'object' || value === null) return null;
  const made = wireEnvelopeOf(value);
  if (made === null) return null;
  const cursor = cursorOf({ offset: line.offset, id: read.id });
  return { placed: { cursor, envelope: made.envelope }, isWhole: made.isWhole };
}

export function jsonOf(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Byte at which the envelope of a cursor begins; null when it does not stand there. */
export function startAt(lines: SessionLines, cursor: string): number | null {
  return lineAt(lines, cursor)?.offset ?? null;
}

/** Byte behind the envelope of a cursor; null when it does not stand there. */
export function endAt(lines: SessionLines, cursor: string): number | null {
  return lineAt(lines, cursor)?.end ?? null;
}

function lineAt(lines: SessionLines, cursor: string): SessionLine | null {
  const place = placeOf(cursor);
  if (place === null || !lines.isLineStart(place.offset)) return null;
  const line = lines.forward(place.offset).next().value;
  return line !== undefined && readEnvelope(jsonOf(line.text))?.id === place.id ? line : null;
}

function resultOf(
  envelopes: PlacedEnvelope[],
  rest: Pick<EnvelopesResult, 'has_earlier' | 'has_later' | 'gap'>,
): EnvelopesResult {
  const first_cursor = envelopes[0]?.cursor ?? null;
  const last_cursor = envelopes.at(-1)?.cursor ?? null;
  return { envelopes, first_cursor, last_cursor, ...rest, resync_required: false };
}
