/**
 * The terminal as the renderer sees it. A frame is one write, however many the renderer makes of it. Once muted,
 * nothing the renderer still writes reaches the screen: the normal screen is back by then and holds the last words.
 */

/** The terminal draws what is between these at once. */
const FRAME_BEGINS = '\u001b[?2026h';
const FRAME_ENDS = '\u001b[?2026l';

export class ScreenOutput {
  /** The same stream, size and events included, but for its writes. */
  readonly stream: NodeJS.WriteStream;
  #state: 'open' | 'held' | 'muted' = 'open';
  /** What there is of the frame that has begun; null between frames. */
  #frame: string | null = null;

  constructor(stdout: NodeJS.WriteStream) {
    const write = (...args: Parameters<typeof stdout.write>): boolean => {
      if (this.#state !== 'open') return true;
      const [chunk, ...rest] = args;
      if (typeof chunk === 'string' && rest.length === 0) return this.#write(stdout, chunk);
      this.#flush(stdout);
      return stdout.write(...args);
    };
    this.stream = new Proxy(stdout, {
      get: (target, property) => {
        if (property === 'write') return write;
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  mute(): void {
    this.#state = 'muted';
  }

  /** Somebody else has the terminal: nothing is written until it is released. */
  hold(): void {
    if (this.#state === 'open') this.#state = 'held';
  }

  release(): void {
    if (this.#state === 'held') this.#state = 'open';
  }

  #write(stdout: NodeJS.WriteStream, text: string): boolean {
    if (this.#frame === null && text !== FRAME_BEGINS) return stdout.write(text);
    this.#frame = (this.#frame ?? '') + text;
    return text === FRAME_ENDS ? this.#flush(stdout) : true;
  }

  #flush(stdout: NodeJS.WriteStream): boolean {
    const frame = this.#frame;
    this.#frame = null;
    return frame === null || stdout.write(frame);
  }
}
