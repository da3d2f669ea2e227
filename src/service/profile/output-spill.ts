/**
 * The whole output of one tool call on its way to its file (PROTOCOL.md, "Session profile").
 * Invariants: no file as long as the output fits an envelope; a file of whole characters, private, within its
 * bound and the note behind it; memory for one envelope's worth and no more; what cannot be kept is missing, and
 * the note says so. Nothing here ends a turn.
 */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { OutputKeeper } from '../../agent/runtime.ts';
import { byteLength } from '../../wire/json.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import { startOf } from './envelope-bounds.ts';

/** Bytes of one output that are kept. */
export const MAX_OUTPUT_BYTES = 16 * 1_024 * 1_024;
const ENVELOPE_BYTES = SESSION_PROTOCOL_LIMITS.max_tool_output_bytes;

export interface SpillPlace {
  /** Makes the folder. @throws when that is impossible */
  readonly prepare: () => void;
  readonly path: string;
  /** Is told once, when some of the output cannot be kept. */
  readonly failed: (error: unknown) => void;
}

export class OutputSpill implements OutputKeeper {
  readonly #place: SpillPlace;
  readonly #decoder = new StringDecoder('utf8');
  /** As long as there is no file. */
  #waiting: string[] = [];
  #waitingBytes = 0;
  #descriptor: number | null = null;
  #failed = false;
  /** Bytes in the file. */
  #size = 0;
  /** Bytes that did not get there. */
  #lost = 0;

  constructor(place: SpillPlace) {
    this.#place = place;
  }

  add(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  close(): void {
    this.#take(this.#decoder.end());
    const descriptor = this.#descriptor;
    if (descriptor === null) return;
    this.#descriptor = null;
    try {
      if (this.#lost > 0) {
        ftruncateSync(descriptor, this.#size);
        writeSync(descriptor, noteOf(this.#lost), this.#size);
      }
    } catch {
      // The bytes are missing with or without a word about it.
    }
    closeSync(descriptor);
    if (this.#size === 0) rmSync(this.#place.path, { force: true });
  }

  #take(text: string): void {
    if (text === '') return;
    if (this.#descriptor === null && !this.#failed) {
      this.#waiting.push(text);
      this.#waitingBytes += byteLength(text);
      if (this.#waitingBytes <= ENVELOPE_BYTES) return;
      this.#open();
      this.#write(this.#waiting.join(''));
      this.#waiting = [];
    } else this.#write(text);
  }

  #open(): void {
    try {
      this.#place.prepare();
      this.#descriptor = openSync(this.#place.path, 'wx', 0o600);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Once something is missing nothing follows it but the note. */
  #write(text: string): void {
    const size = byteLength(text);
    const room = this.#lost > 0 || this.#descriptor === null ? 0 : MAX_OUTPUT_BYTES - this.#size;
    const bytes = Buffer.from(size <= room ? text : startOf(text, roomOf(room)), 'utf8');
    let done = 0;
    try {
      while (done < bytes.length && this.#descriptor !== null)
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#size + done);
    } catch (error) {
      this.#fail(error);
      while (done > 0 && isContinuation(bytes[done])) done -= 1;
    }
    this.#size += done;
    this.#lost += size - done;
  }

  #fail(error: unknown): void {
    if (!this.#failed) this.#place.failed(error);
    this.#failed = true;
  }
}

/** Of a character in UTF-8, not its first byte. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function roomOf(raw: number): { raw: number; encoded: number } {
  return { raw, encoded: Number.POSITIVE_INFINITY };
}

function noteOf(lost: number): string {
  return `\n[… ${lost} bytes were not kept …]\n`;
}
