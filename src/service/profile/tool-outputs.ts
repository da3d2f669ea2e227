/**
 * Whole outputs of tool calls, where an envelope holds only the start (PROTOCOL.md, "Session profile"):
 * `<session>.tools/<digest of the call>`, at most 8 MiB each. An output that fits its envelope has no file.
 * Invariant: ranges are bytes and begin and end between characters; what cannot be kept is missing, nothing else.
 */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvelope } from '../../transcript/envelope.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import type { Log } from '../log.ts';
import { fitsText, startOf } from './envelope-bounds.ts';
import { jsonOf } from './envelope-page.ts';
import { SessionLines } from './session-lines.ts';
import { keptOutput } from './tool-envelopes.ts';

export interface OutputRange {
  readonly offset: number;
  readonly text: string;
  readonly next_offset: number | null;
  readonly total_bytes: number;
}

const MAX_OUTPUT_BYTES = 8 * 1_024 * 1_024;
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

  keep(sessionId: string, call: string, output: string): void {
    const whole = output.toWellFormed();
    if (keptOutput(whole) === whole) return;
    try {
      mkdirSync(this.#folder(sessionId), { recursive: true, mode: 0o700 });
      const text = startOf(whole, { raw: MAX_OUTPUT_BYTES, encoded: Number.POSITIVE_INFINITY });
      writeFileSync(this.#file(sessionId, call), text, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      this.#log.warn('the output of a tool was not kept', { reason: String(error) });
    }
  }

  /** Null when no such call has ended in this session. */
  read(sessionId: string, call: string, range: { offset: number; limit: number }): OutputRange | null {
    const bytes = this.#kept(sessionId, call) ?? this.#fromEnvelope(sessionId, call);
    return bytes === null ? null : rangeOf(bytes, range);
  }

  /** A copy of a session has the outputs, too. */
  share(from: string, to: string): void {
    try {
      const names = readdirSync(this.#folder(from));
      mkdirSync(this.#folder(to), { recursive: true, mode: 0o700 });
      for (const name of names) linkSync(join(this.#folder(from), name), join(this.#folder(to), name));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        this.#log.warn('outputs of tools were not copied', { reason: String(error) });
    }
  }

  #kept(sessionId: string, call: string): Buffer | null {
    try {
      return readFileSync(this.#file(sessionId, call));
    } catch {
      return null;
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

/** From within a character or from behind the end the range begins later than it was asked for. */
function rangeOf(bytes: Buffer, { limit, offset }: { offset: number; limit: number }): OutputRange {
  const total_bytes = bytes.length;
  let start = Math.min(offset, total_bytes);
  while (start < total_bytes && isContinuation(bytes[start])) start += 1;
  const most = SESSION_PROTOCOL_LIMITS.max_tool_output_bytes;
  let end = Math.min(start + Math.max(limit, MAX_CHARACTER_BYTES), start + most, total_bytes);
  while (end > start && end < total_bytes && isContinuation(bytes[end])) end -= 1;
  const whole = bytes.toString('utf8', start, end);
  const bounds = { raw: most, encoded: most };
  const text = fitsText(whole, bounds) ? whole : startOf(whole, bounds);
  const next = start + Buffer.byteLength(text, 'utf8');
  return { offset, text, next_offset: next < total_bytes ? next : null, total_bytes };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
