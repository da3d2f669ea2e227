/**
 * The lines of a session file, read by ranges in both directions (PROTOCOL.md, "Session profile").
 * Invariants: the file is never in memory as a whole; a line counts once its newline is there; a line that is
 * longer than any envelope is passed over without being kept.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { parseLine } from '../../transcript/jsonl.ts';

export interface SessionLine {
  /** Byte at which the line begins. */
  readonly offset: number;
  /** Byte behind its newline. */
  readonly end: number;
  /** Null when the line is too long to be looked at. */
  readonly text: string | null;
}

const CHUNK = 65_536;
/** For looking over much at once. */
const BLOCK = 1_024 * 1_024;
/** Longer lines were written by nobody. */
const MAX_LINE = 4 * 1_024 * 1_024;
const LF = 0x0a;

export class SessionLines {
  readonly #descriptor: number;
  /** Byte behind the header's newline. */
  readonly start: number;
  /** Byte behind the last newline. */
  readonly end: number;
  /** Bytes behind the last newline stand there. */
  readonly isTorn: boolean;

  private constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.start = 0;
    this.end = size;
    this.end = this.#lastNewline(size) + 1;
    this.isTorn = this.end < size;
    const header = this.forward(0).next().value;
    this.start = header?.end ?? 0;
  }

  /** Null when there is no such session. The result is to be closed. */
  static open(path: string, sessionId: string): SessionLines | null {
    let descriptor: number;
    try {
      descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch {
      return null;
    }
    try {
      const stats = fstatSync(descriptor);
      const lines = stats.isFile() ? new SessionLines(descriptor, stats.size) : null;
      const header = lines === null ? null : parseLine(lines.forward(0).next().value?.text ?? '');
      if (header?.kind === 'header' && header.header.session_id === sessionId) return lines;
    } catch {
      // As good as missing.
    }
    closeSync(descriptor);
    return null;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Whether a line begins at this byte. */
  isLineStart(offset: number): boolean {
    return offset >= this.start && offset < this.end && this.#read(offset - 1, 1)[0] === LF;
  }

  /** Bytes from one place to another, in pieces. */
  *range(from: number, to: number): Generator<Buffer, undefined, undefined> {
    for (let at = from; at < to; at += CHUNK) yield this.#read(at, Math.min(CHUNK, to - at));
  }

  /** Lines from the one that begins at `from`. */
  *forward(from: number): Generator<SessionLine, undefined, undefined> {
    let offset = from;
    let position = from;
    let parts: Buffer[] = [];
    while (position < this.end) {
      const chunk = this.#read(position, Math.min(CHUNK, this.end - position));
      if (chunk.length === 0) return undefined;
      let done = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, done)) {
        parts.push(chunk.subarray(done, at));
        const end = position + at + 1;
        yield lineOf(offset, end, parts);
        parts = [];
        offset = end;
        done = at + 1;
      }
      if (position + chunk.length - offset <= MAX_LINE) parts.push(chunk.subarray(done));
      position += chunk.length;
    }
  }

  /** Lines from the one that begins at `from`, but only those that hold one of the marks. */
  *marked(from: number, marks: readonly string[]): Generator<SessionLine, undefined, undefined> {
    let position = from;
    while (position < this.end) {
      const block = this.#read(position, Math.min(BLOCK, this.end - position));
      const whole = block.lastIndexOf(LF) + 1;
      const [first] = whole === 0 ? this.forward(position) : [];
      if (first !== undefined && marks.some((mark) => first.text?.includes(mark))) yield first;
      if (whole === 0 && first === undefined) return undefined;
      for (const { end, start } of markedLines(block.subarray(0, whole), marks))
        yield lineOf(position + start, position + end, [block.subarray(start, end - 1)]);
      position = first?.end ?? position + whole;
    }
  }

  /** Lines from the one that ends at `to`, the last one first. */
  *backward(to: number): Generator<SessionLine, undefined, undefined> {
    let end = to;
    let position = to - 1;
    let parts: Buffer[] = [];
    while (end > this.start) {
      const from = Math.max(this.start, position - CHUNK);
      const chunk = this.#read(from, position - from);
      if (chunk.length === 0 && from > this.start) return undefined;
      let upTo = chunk.length;
      for (
        let at = chunk.lastIndexOf(LF);
        at !== -1;
        at = upTo === 0 ? -1 : chunk.lastIndexOf(LF, upTo - 1)
      ) {
        parts.unshift(chunk.subarray(at + 1, upTo));
        yield lineOf(from + at + 1, end, parts);
        parts = [];
        end = from + at + 1;
        upTo = at;
      }
      if (end - from <= MAX_LINE) parts.unshift(chunk.subarray(0, upTo));
      position = from;
      if (position > this.start) continue;
      if (end > this.start) yield lineOf(this.start, end, parts);
      return undefined;
    }
  }

  #lastNewline(size: number): number {
    for (let to = size; to > 0; to -= CHUNK) {
      const from = Math.max(0, to - CHUNK);
      const at = this.#read(from, to - from).lastIndexOf(LF);
      if (at !== -1) return from + at;
    }
    return -1;
  }

  #read(position: number, length: number): Buffer {
    const buffer = Buffer.alloc(Math.max(0, length));
    let filled = 0;
    while (filled < buffer.length) {
      const count = readSync(this.#descriptor, buffer, filled, buffer.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }
}

function lineOf(offset: number, end: number, parts: readonly Buffer[]): SessionLine {
  const isTooLong = end - offset > MAX_LINE;
  return { offset, end, text: isTooLong ? null : Buffer.concat(parts).toString('utf8') };
}

/** Where the lines stand in a block of whole lines, in order. */
function markedLines(block: Buffer, marks: readonly string[]): { start: number; end: number }[] {
  const starts = new Set<number>();
  for (const mark of marks) {
    let at = block.indexOf(mark);
    while (at !== -1) {
      starts.add(block.lastIndexOf(LF, at) + 1);
      at = block.indexOf(mark, block.indexOf(LF, at));
    }
  }
  return [...starts].sort((a, b) => a - b).map((start) => ({ start, end: block.indexOf(LF, start) + 1 }));
}
