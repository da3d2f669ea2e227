/**
 * All replies of one turn together, within what a terminal can carry (PROTOCOL.md, "Turns", "Session profile").
 * Invariants: what is accepted is well-formed text; its bytes, raw and as a JSON string, stay within the
 * bounds; a piece that would pass them is refused as a whole, or ends the collecting for good: then the text
 * stands in the envelopes alone.
 */
import { byteLength, encodedBytes } from '../../wire/json.ts';
import { MAX_TURN_TEXT_BYTES, MAX_TURN_TEXT_ENCODED_BYTES } from '../../wire/limits.ts';

const QUOTES = 2;

export class TurnText {
  #value = '';
  #raw = 0;
  #encoded = QUOTES;
  #isLong = false;

  /** Empty once the text has become too long. */
  get value(): string {
    return this.#value;
  }

  get isLong(): boolean {
    return this.#isLong;
  }

  fits(text: string): boolean {
    const raw = this.#raw + byteLength(text);
    const encoded = this.#encoded + encodedBytes(text) - QUOTES;
    return this.#isLong || (raw <= MAX_TURN_TEXT_BYTES && encoded <= MAX_TURN_TEXT_ENCODED_BYTES);
  }

  /** Adds a piece that fits. */
  accept(text: string): void {
    if (this.#isLong) return;
    this.#value += text;
    this.#raw += byteLength(text);
    this.#encoded += encodedBytes(text) - QUOTES;
  }

  /** Nothing is collected any more. */
  giveUp(): void {
    this.#isLong = true;
    this.#value = '';
  }
}

/** Puts characters together whose halves come one after the other. */
export class WholeCharacters {
  /** First half of a character whose second half has not come yet. */
  #half = '';

  /** The text that can be passed on now. */
  take(text: string): string {
    const joined = this.#half + text;
    const last = joined.charCodeAt(joined.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#half = isHalf ? joined.slice(-1) : '';
    return (isHalf ? joined.slice(0, -1) : joined).toWellFormed();
  }
}
