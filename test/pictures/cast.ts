/**
 * A recording of a terminal in the asciicast format, version 2: a header, then what was written and when.
 * Invariants: times never go back; a pause is never longer than the longest one; no event holds half a character.
 */
import { StringDecoder } from 'node:string_decoder';

export interface CastHeader {
  readonly cols: number;
  readonly rows: number;
  readonly title: string;
}

export interface CastOptions extends CastHeader {
  /** Seconds. */
  readonly longestPause: number;
}

export class Cast {
  readonly #options: CastOptions;
  readonly #decoder = new StringDecoder('utf8');
  readonly #events: { readonly at: number; readonly text: string }[] = [];
  #seconds = 0;
  #last: number | null = null;

  constructor(options: CastOptions) {
    this.#options = options;
  }

  /** Takes output. @param now monotonic time, ms */
  take(bytes: Buffer, now: number): void {
    const passed = this.#last === null ? 0 : (now - this.#last) / 1_000;
    this.#last = now;
    this.#seconds += Math.max(0, Math.min(this.#options.longestPause, passed));
    const text = this.#decoder.write(bytes);
    if (text !== '') this.#events.push({ at: this.#seconds, text });
  }

  /** The recording as a file. */
  toString(): string {
    const { cols, rows, title } = this.#options;
    const header = { version: 2, width: cols, height: rows, title, env: { TERM: 'xterm-256color' } };
    const events = this.#events.map(({ at, text }) => [Number(at.toFixed(3)), 'o', text]);
    return `${[header, ...events].map((line) => JSON.stringify(line)).join('\n')}\n`;
  }
}
