/**
 * The one owner of the terminal's input: raw mode, the decoder, and the two waits that settle half read input.
 *
 * Invariants:
 * - between start() and stop() nobody else reads the stream;
 * - after stop() no event is told and no timer is left;
 * - events of one read share a batch number, so that a caller can tell a double press from one doubled byte.
 */
import type { Readable } from 'node:stream';
import { KeyDecoder } from './decoder.ts';
import type { KeyEvent } from './key-event.ts';

/** How long a lone ESC may wait for the rest of a sequence, in ms. */
export const ESCAPE_WAIT_MS = 50;
/** How long a cut-off sequence may wait for its rest, in ms. Slow links cut sequences; replies must not become text. */
export const SEQUENCE_WAIT_MS = 500;
/** How long a paste may pause before what came is delivered, in ms. */
export const PASTE_WAIT_MS = 1000;

/** A readable terminal. A stream without `setRawMode` is read as it is. */
export type InputStream = Readable & { setRawMode?: (mode: boolean) => unknown };

/** When an event was read: `batch` counts reads (and expired waits), `atMs` is a monotonic time in ms. */
export interface ReadMoment {
  readonly batch: number;
  readonly atMs: number;
}

export interface InputSourceOptions {
  readonly stdin: InputStream;
  readonly onEvent: (event: KeyEvent, moment: ReadMoment) => void;
  /** The terminal is gone: the stream ended (null) or failed. Told at most once per start(). */
  readonly onEnd: (error: Error | null) => void;
}

export class InputSource {
  readonly #options: InputSourceOptions;
  #decoder = new KeyDecoder();
  #timer: NodeJS.Timeout | null = null;
  #batch = 0;
  #running = false;

  constructor(options: InputSourceOptions) {
    this.#options = options;
  }

  /** Switches raw mode on and starts reading. Does nothing when already started. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#decoder = new KeyDecoder();
    const { stdin } = this.#options;
    stdin.setRawMode?.(true);
    stdin.on('data', this.#onData);
    stdin.on('end', this.#onStreamEnd);
    stdin.on('error', this.#onStreamError);
    stdin.resume();
  }

  /** Stops reading, drops what is half read, and switches raw mode off. Does nothing when not started. */
  stop(): void {
    if (!this.#running) return;
    this.#running = false;
    this.#clearTimer();
    const { stdin } = this.#options;
    stdin.off('data', this.#onData);
    stdin.off('end', this.#onStreamEnd);
    stdin.off('error', this.#onStreamError);
    stdin.pause();
    try {
      stdin.setRawMode?.(false);
    } catch {
      // The terminal is gone; there is no mode left to reset.
    }
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#clearTimer();
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    this.#tell(this.#decoder.feed(bytes));
    this.#wait();
  };

  readonly #onStreamEnd = (): void => this.#finish(null);

  readonly #onStreamError = (error: Error): void => this.#finish(error);

  #finish(error: Error | null): void {
    if (!this.#running) return;
    this.#clearTimer();
    this.#tell(this.#decoder.flush());
    this.stop();
    this.#options.onEnd(error);
  }

  #tell(events: readonly KeyEvent[]): void {
    this.#batch += 1;
    const moment: ReadMoment = { batch: this.#batch, atMs: performance.now() };
    for (const event of events) {
      if (!this.#running) return;
      this.#options.onEvent(event, moment);
    }
  }

  #wait(): void {
    if (!this.#running) return;
    const delay = waitFor(this.#decoder);
    if (delay === null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#tell(this.#decoder.flush());
    }, delay);
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function waitFor(decoder: KeyDecoder): number | null {
  switch (decoder.pending()) {
    case 'none':
      return null;
    case 'escape':
      return ESCAPE_WAIT_MS;
    case 'sequence':
      return SEQUENCE_WAIT_MS;
    case 'paste':
      return PASTE_WAIT_MS;
  }
}
