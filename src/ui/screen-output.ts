/**
 * The terminal as the renderer sees it. Once muted, nothing the renderer still writes reaches the screen:
 * the normal screen is back by then and holds the last words.
 */
export class ScreenOutput {
  /** The same stream, size and events included, but for its writes. */
  readonly stream: NodeJS.WriteStream;
  #muted = false;

  constructor(stdout: NodeJS.WriteStream) {
    const write = (...args: Parameters<typeof stdout.write>): boolean => this.#muted || stdout.write(...args);
    this.stream = new Proxy(stdout, {
      get: (target, property) => {
        if (property === 'write') return write;
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  mute(): void {
    this.#muted = true;
  }
}
