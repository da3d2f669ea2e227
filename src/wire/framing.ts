/**
 * Cuts a byte stream into lines at LF and nowhere else (PROTOCOL.md, "Records").
 * Invariant: an unfinished line lies in one buffer, which never has more than `limit` bytes, however it comes in.
 */

export type Frame =
  /** A line without its LF and without one CR before it. `offset` is where it starts in the stream, bytes. */
  | { readonly kind: 'line'; readonly bytes: Uint8Array; readonly offset: number }
  /** A line passed the limit. The stream cannot be trusted any more; nothing follows. */
  | { readonly kind: 'too-long'; readonly offset: number };

const LF = 0x0a;
const CR = 0x0d;
const SMALLEST_BUFFER = 1_024;

export class LineFramer {
  readonly #limit: number;
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  #offset = 0;
  #broken = false;

  /** @param limit bytes of one line before its LF (a CR counts) */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the unfinished line. */
  get pendingBytes(): number {
    return this.#heldBytes;
  }

  /** Lines that this chunk completes, in order. */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let start = 0;
    while (!this.#broken && start < chunk.length) {
      const end = chunk.indexOf(LF, start);
      const stop = end === -1 ? chunk.length : end;
      if (this.#heldBytes + (stop - start) > this.#limit) {
        frames.push(this.#break());
        break;
      }
      if (end === -1) {
        this.#hold(chunk.subarray(start));
        break;
      }
      frames.push(this.#complete(chunk.subarray(start, end)));
      start = end + 1;
    }
    return frames;
  }

  #hold(bytes: Uint8Array): void {
    const needed = this.#heldBytes + bytes.length;
    if (needed > this.#held.length) {
      const roomier = Buffer.alloc(
        Math.min(this.#limit, Math.max(needed, 2 * this.#held.length, SMALLEST_BUFFER)),
      );
      this.#held.copy(roomier, 0, 0, this.#heldBytes);
      this.#held = roomier;
    }
    this.#held.set(bytes, this.#heldBytes);
    this.#heldBytes = needed;
  }

  #complete(tail: Uint8Array): Frame {
    const line = this.#heldBytes === 0 ? tail : this.#joined(tail);
    const offset = this.#offset;
    this.#offset += line.length + 1;
    const bytes = line.at(-1) === CR ? line.subarray(0, -1) : line;
    return { kind: 'line', bytes, offset };
  }

  /** The held bytes and the last ones, as a line of its own: the buffer is used again. */
  #joined(tail: Uint8Array): Uint8Array {
    const line = Buffer.concat([this.#held.subarray(0, this.#heldBytes), tail]);
    this.#heldBytes = 0;
    return line;
  }

  #break(): Frame {
    this.#broken = true;
    this.#held = Buffer.alloc(0);
    this.#heldBytes = 0;
    return { kind: 'too-long', offset: this.#offset };
  }
}
