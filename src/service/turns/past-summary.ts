/**
 * The newest summary that stands further back in a session file than the window that is read (PROTOCOL.md, "Turns").
 * Invariant: bounded, from the end backwards; lines are parsed only when they hold the mark of a summary, which no
 * text can hold, because quotes within texts are escaped.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { parseLine } from '../../transcript/jsonl.ts';
import { readAt } from '../sessions/session-window.ts';
import { summaryIn } from './history.ts';

const MARK = '"kind":"compaction"';
const CHUNK = 1_048_576;
/** Longer lines are not ours: an envelope has at most 24,576 bytes. */
const OVERLAP = 65_536;
/** How far back it is looked for, in bytes. */
const REACH = 33_554_432;
const LF = 0x0a;

/** Null when there is none before the byte `end`, which must begin a line, or the file cannot be read. */
export function summaryBefore(path: string, end: number): string | null {
  if (end === 0) return null;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  try {
    const last = Math.max(0, end - REACH);
    for (let to = end; to > last; to -= CHUNK) {
      const from = Math.max(last, to - CHUNK);
      // A line that goes on behind the chunk is whole in it.
      const found = newestIn(readAt(descriptor, from, Math.min(end, to + OVERLAP) - from));
      if (found !== null) return found;
    }
    return null;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

function newestIn(bytes: Buffer): string | null {
  for (let at = bytes.lastIndexOf(MARK); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(MARK, at - 1)) {
    const lineEnd = bytes.indexOf(LF, at);
    const line = bytes.toString(
      'utf8',
      bytes.lastIndexOf(LF, at) + 1,
      lineEnd === -1 ? bytes.length : lineEnd,
    );
    const parsed = parseLine(line);
    const summary = parsed.kind === 'envelope' ? summaryIn(parsed.envelope) : null;
    if (summary !== null) return summary;
  }
  return null;
}
