/**
 * The readable end of a session file (PROTOCOL.md, "Replay"): at most 2 MiB and 100,000 records.
 * Invariant: the window starts at a multiple of its step, so that it moves rarely and cursors into it
 * stay valid while the file grows.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Envelope, UnknownEnvelope } from '../../transcript/envelope.ts';
import { parseLine, type SessionHeader } from '../../transcript/jsonl.ts';
import { LIMITS } from '../../wire/limits.ts';

export interface SessionWindow {
  readonly header: SessionHeader;
  readonly envelopes: readonly (Envelope | UnknownEnvelope)[];
  /** Byte of the file at which they begin: everything before it was not read. */
  readonly start: number;
  /** Something before or within the window could not be read. */
  readonly gap: boolean;
  /** Bytes of the file up to and including its last newline. */
  readonly wholeBytes: number;
  /** Bytes behind the last newline: a write that was cut off. */
  readonly tornBytes: number;
}

const STEP = 512 * 1_024;
const MAX_RECORDS = 100_000;
const HEADER_BYTES = 65_536;
const LF = 0x0a;

/** Null when the file is missing, unreadable, or not a session. */
export function readWindow(path: string, sessionId: string): SessionWindow | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(descriptor);
    const header = readHeader(descriptor, sessionId);
    if (!stats.isFile() || header === null) return null;
    return readRecords(descriptor, stats.size, header);
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

/** The first bytes of a file: enough for a header and a title. */
export function readStart(path: string): Buffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  try {
    return readAt(descriptor, 0, HEADER_BYTES);
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

function readHeader(descriptor: number, sessionId: string): SessionHeader | null {
  const start = readAt(descriptor, 0, HEADER_BYTES);
  const end = start.indexOf(LF);
  if (end === -1) return null;
  const line = parseLine(start.toString('utf8', 0, end));
  return line.kind === 'header' && line.header.session_id === sessionId ? line.header : null;
}

function readRecords(descriptor: number, size: number, header: SessionHeader): SessionWindow {
  const from = Math.ceil(Math.max(0, size - LIMITS.max_session_replay_window_bytes) / STEP) * STEP;
  const bytes = readAt(descriptor, from, size - from);
  const whole = bytes.lastIndexOf(LF) + 1;
  const first = from === 0 ? 0 : bytes.indexOf(LF) + 1;
  const lines = bytes.toString('utf8', first, whole).split('\n');
  lines.pop();
  const kept = lines.slice(-MAX_RECORDS);
  const envelopes: (Envelope | UnknownEnvelope)[] = [];
  let gap = from > 0 || kept.length < lines.length || whole < bytes.length;
  for (const line of kept) {
    const parsed = parseLine(line);
    if (parsed.kind === 'envelope' || parsed.kind === 'unknown') envelopes.push(parsed.envelope);
    else if (parsed.kind === 'bad') gap = true;
  }
  const start = from + first;
  return { header, envelopes, start, gap, wholeBytes: from + whole, tornBytes: bytes.length - whole };
}

/** Fewer bytes when the file ends before. */
export function readAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
