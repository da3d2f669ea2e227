/**
 * Whole outputs of tool calls, where an envelope holds only the start (PROTOCOL.md, "Session profile"):
 * `<session>.tools/<digest of the call>`, at most 16 MiB each. An output that fits its envelope has no file; one
 * that is longer is there while it comes.
 * Invariants: ranges are bytes and begin and end between characters; no more of a file is read than is asked for;
 * what cannot be kept is missing, nothing else.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { OutputKeeper } from '../../agent/runtime.ts';
import { makeFolder } from '../../platform/folder.ts';
import { readEnvelope } from '../../transcript/envelope.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import type { Log } from '../log.ts';
import { fitsText, startOf } from './envelope-bounds.ts';
import { jsonOf } from './envelope-page.ts';
import { isContinuation, MAX_OUTPUT_BYTES, OutputSpill } from './output-spill.ts';
import { SessionLines } from './session-lines.ts';
import { keptOutput } from './tool-envelopes.ts';

export interface OutputRange {
  readonly offset: number;
  readonly text: string;
  readonly next_offset: number | null;
  readonly total_bytes: number;
}

/** A call that lies further back has only its envelope. */
const MAX_SCAN_BYTES = 64 * 1_024 * 1_024;
const MAX_CHARACTER_BYTES = 4;

export class ToolOutputs {
  readonly #pathOf: (sessionId: string) => string;
  readonly #log: Log;

  /** @param pathOf a session's file */
  constructor(pathOf: (sessionId: string) => string, log: Log) {
    this.#pathOf = pathOf;
    this.#log = log;
  }

  /** Keeps what a tool prints while it runs. */
  keeper(sessionId: string, call: string): OutputKeeper {
    return new OutputSpill({
      prepare: () => this.#prepare(sessionId),
      path: this.#file(sessionId, call),
      failed: (error) => this.#notKept(error),
    });
  }

  /** Keeps what the model was given, unless there is more already. */
  keep(sessionId: string, call: string, output: string): void {
    const whole = output.toWellFormed();
    if (keptOutput(whole) === whole) return;
    try {
      this.#prepare(sessionId);
      const text = startOf(whole, { raw: MAX_OUTPUT_BYTES, encoded: Number.POSITIVE_INFINITY });
      writeFileSync(this.#file(sessionId, call), text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') this.#notKept(error);
    }
  }

  /** Null when no such call has ended in this session, and none has printed more than an envelope holds. */
  read(sessionId: string, call: string, range: { offset: number; limit: number }): OutputRange | null {
    const kept = this.#kept(sessionId, call, range);
    if (kept !== null) return kept;
    const bytes = this.#fromEnvelope(sessionId, call);
    if (bytes === null) return null;
    return rangeOf({ size: bytes.length, read: (from, to) => bytes.subarray(from, to) }, range);
  }

  /** A copy of a session has the outputs, too. */
  share(from: string, to: string): void {
    try {
      const names = readdirSync(this.#folder(from));
      makeFolder(this.#folder(to));
      for (const name of names) linkSync(join(this.#folder(from), name), join(this.#folder(to), name));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        this.#log.warn('outputs of tools were not copied', { reason: String(error) });
    }
  }

  #prepare(sessionId: string): void {
    makeFolder(this.#folder(sessionId));
  }

  #notKept(error: unknown): void {
    this.#log.warn('the output of a tool was not kept', { reason: String(error) });
  }

  #kept(sessionId: string, call: string, range: { offset: number; limit: number }): OutputRange | null {
    let descriptor: number;
    try {
      descriptor = openSync(this.#file(sessionId, call), constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch {
      return null;
    }
    try {
      const { size } = fstatSync(descriptor);
      return rangeOf({ size, read: (from, to) => bytesOf(descriptor, from, to) }, range);
    } catch {
      return null;
    } finally {
      closeSync(descriptor);
    }
  }

  #fromEnvelope(sessionId: string, call: string): Buffer | null {
    const lines = SessionLines.open(this.#pathOf(sessionId), sessionId);
    if (lines === null) return null;
    try {
      const marked = JSON.stringify(call);
      for (const { offset, text } of lines.backward(lines.end)) {
        if (lines.end - offset > MAX_SCAN_BYTES) return null;
        if (text?.includes(marked) !== true) continue;
        const ev = readEnvelope(jsonOf(text))?.ev;
        if (ev?.t === 'tool-call-end' && ev.call === call)
          return Buffer.from(typeof ev.output === 'string' ? ev.output : '', 'utf8');
      }
      return null;
    } finally {
      lines.close();
    }
  }

  #folder(sessionId: string): string {
    return this.#pathOf(sessionId).replace(/\.jsonl$/, '.tools');
  }

  #file(sessionId: string, call: string): string {
    return join(this.#folder(sessionId), createHash('sha256').update(call).digest('hex').slice(0, 48));
  }
}

interface Source {
  /** Bytes. */
  readonly size: number;
  /** May give less than asked for, at the end. */
  read(from: number, to: number): Buffer;
}

/** From within a character or from behind the end the range begins later than it was asked for. */
function rangeOf({ read, size }: Source, { limit, offset }: { offset: number; limit: number }): OutputRange {
  const most = SESSION_PROTOCOL_LIMITS.max_tool_output_bytes;
  const wanted = Math.min(Math.max(limit, MAX_CHARACTER_BYTES), most);
  const from = Math.min(offset, size);
  // With the rest of a character before the range, and the byte behind it.
  const bytes = read(from, Math.min(from + MAX_CHARACTER_BYTES + wanted, size));
  let start = 0;
  while (isContinuation(bytes[start])) start += 1;
  let end = Math.min(start + wanted, bytes.length);
  while (end > start && isContinuation(bytes[end])) end -= 1;
  const whole = bytes.toString('utf8', start, end);
  const bounds = { raw: most, encoded: most };
  const text = fitsText(whole, bounds) ? whole : startOf(whole, bounds);
  const next = from + start + Buffer.byteLength(text, 'utf8');
  return { offset, text, next_offset: next < size ? next : null, total_bytes: size };
}

function bytesOf(descriptor: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
