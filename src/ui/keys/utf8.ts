/**
 * UTF-8 read one byte at a time.
 *
 * Invariant: what comes out depends on the bytes only, never on how they were cut into reads. Each maximal
 * broken part becomes one U+FFFD, as a TextDecoder does it.
 */

const REPLACEMENT = '\ufffd';

export class Utf8Reader {
  #codePoint = 0;
  #needed = 0;
  #lower = 0x80;
  #upper = 0xbf;

  /** True while a character is only half read. */
  get open(): boolean {
    return this.#needed > 0;
  }

  /**
   * Takes one byte. Returns the characters that became complete: none, one, or a U+FFFD for a broken character
   * followed by what the byte itself stands for.
   */
  push(byte: number): readonly string[] {
    if (this.#needed === 0) return this.#start(byte);
    if (byte < this.#lower || byte > this.#upper) {
      this.#reset();
      return [REPLACEMENT, ...this.#start(byte)];
    }
    this.#lower = 0x80;
    this.#upper = 0xbf;
    this.#codePoint = (this.#codePoint << 6) | (byte & 0x3f);
    this.#needed -= 1;
    if (this.#needed > 0) return [];
    const character = String.fromCodePoint(this.#codePoint);
    this.#reset();
    return [character];
  }

  /** Gives up on a half read character: returns U+FFFD for it, or nothing when there is none. */
  end(): readonly string[] {
    if (this.#needed === 0) return [];
    this.#reset();
    return [REPLACEMENT];
  }

  #start(byte: number): readonly string[] {
    if (byte < 0x80) return [String.fromCharCode(byte)];
    if (byte >= 0xc2 && byte <= 0xdf) return this.#open(byte & 0x1f, 1);
    if (byte >= 0xe0 && byte <= 0xef) {
      if (byte === 0xe0) this.#lower = 0xa0;
      if (byte === 0xed) this.#upper = 0x9f;
      return this.#open(byte & 0x0f, 2);
    }
    if (byte >= 0xf0 && byte <= 0xf4) {
      if (byte === 0xf0) this.#lower = 0x90;
      if (byte === 0xf4) this.#upper = 0x8f;
      return this.#open(byte & 0x07, 3);
    }
    return [REPLACEMENT];
  }

  #open(bits: number, needed: number): readonly string[] {
    this.#codePoint = bits;
    this.#needed = needed;
    return [];
  }

  #reset(): void {
    this.#codePoint = 0;
    this.#needed = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
  }
}
