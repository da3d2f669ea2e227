/**
 * Cuts a byte stream into lines at LF and nowhere else (PROTOCOL.md, "Records").
 * Invariant: at most `limit` bytes of an unfinished line are ever kept.
 */

export type Frame =
  /** A line without its LF and without one CR before it. `offset` is where it starts in the stream, bytes. */
  | { readonly kind: 'line'; readonly bytes: Uint8Array; readonly offset: number }
  /** A line passed the limit. The stream cannot be trusted any more; nothing follows. */
  | { readonly kind: 'too-long'; readonly offset: number };

const LF = 0x0a;
const CR = 0x0d;

export class LineFramer {
  readonly #limit: number;
  #held: Uint8Array[] = [];
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
    this.#held.push(Uint8Array.from(bytes));
    this.#heldBytes += bytes.length;
  }

  #complete(tail: Uint8Array): Frame {
    const line = this.#held.length === 0 ? tail : Buffer.concat([...this.#held, tail]);
    const offset = this.#offset;
    this.#offset += line.length + 1;
    this.#held = [];
    this.#heldBytes = 0;
    const bytes = line.at(-1) === CR ? line.subarray(0, -1) : line;
    return { kind: 'line', bytes, offset };
  }

  #break(): Frame {
    this.#broken = true;
    this.#held = [];
    this.#heldBytes = 0;
    return { kind: 'too-long', offset: this.#offset };
  }
}
