/**
 * The inside of a bracketed paste.
 *
 * Invariants:
 * - line ends become one LF each; every other control byte besides tab is removed, so a paste can neither
 *   send nor run anything;
 * - at most PASTE_LIMIT_BYTES (and the rest of one character) are held; a longer paste comes out in pieces.
 */

/** The most bytes of one paste that are held before a piece is handed on. */
export const PASTE_LIMIT_BYTES = 8 * 1024 * 1024;

const END_MARK = [0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e];
const START_CAPACITY = 4096;

export type PasteStep = 'more' | 'piece' | 'end';

export class PasteCollector {
  #bytes = new Uint8Array(START_CAPACITY);
  #length = 0;
  #matched = 0;
  #afterReturn = false;
  readonly #limit: number;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Takes one byte. `piece`: the limit is reached, take() before the next byte. `end`: the end marker is complete. */
  push(byte: number): PasteStep {
    if (byte === END_MARK[this.#matched]) {
      this.#matched += 1;
      return this.#matched === END_MARK.length ? 'end' : 'more';
    }
    // What looked like the end marker was text. Its ESC is a control byte and stays out.
    for (let index = 1; index < this.#matched; index += 1) this.#text(END_MARK[index] ?? 0);
    this.#matched = 0;
    if (byte === 0x1b) {
      this.#matched = 1;
      return 'more';
    }
    this.#text(byte);
    return this.#isFull() ? 'piece' : 'more';
  }

  /** Returns the text collected so far and starts over. */
  take(): string {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes.subarray(0, this.#length));
    this.#bytes = new Uint8Array(START_CAPACITY);
    this.#length = 0;
    return text.replace(/[\u0080-\u009f]/g, '');
  }

  #text(byte: number): void {
    const afterReturn = this.#afterReturn;
    this.#afterReturn = byte === 0x0d;
    if (byte === 0x0d) this.#append(0x0a);
    else if (byte === 0x0a) {
      if (!afterReturn) this.#append(byte);
    } else if (byte === 0x09 || (byte >= 0x20 && byte !== 0x7f)) this.#append(byte);
  }

  #append(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** A piece ends with a whole character; bytes that never make one are cut a few bytes later. */
  #isFull(): boolean {
    if (this.#length < this.#limit) return false;
    return endsWhole(this.#bytes, this.#length) || this.#length >= this.#limit + 4;
  }
}

function endsWhole(bytes: Uint8Array, length: number): boolean {
  for (let back = 1; back <= 4 && back <= length; back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return back === 1;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back >= size;
    }
  }
  return false;
}
