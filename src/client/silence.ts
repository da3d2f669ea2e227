/**
 * Notices that a service does not answer (PROTOCOL.md, "Queues and timers"). One timer, set for the oldest
 * request that was sent; it keeps no process alive.
 */
export class Silence {
  readonly #limitMs: number;
  readonly #expired: () => void;
  /** Request ID → when it was sent, ms; the oldest first. */
  readonly #sent = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** @param expired called once a request has waited for so many ms */
  constructor(limitMs: number, expired: () => void) {
    this.#limitMs = limitMs;
    this.#expired = expired;
  }

  sent(requestId: string): void {
    this.#sent.set(requestId, performance.now());
    if (this.#timer === null) this.#wait(this.#limitMs);
  }

  answered(requestId: string): void {
    this.#sent.delete(requestId);
  }

  stop(): void {
    this.#sent.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  /** A process that slept finds its timers due before it reads what has come meanwhile: that first. */
  #look(): void {
    setImmediate(() => this.#judge());
  }

  #judge(): void {
    this.#timer = null;
    const [oldest] = this.#sent.values();
    if (oldest === undefined) return;
    const left = oldest + this.#limitMs - performance.now();
    if (left > 0) this.#wait(left);
    else this.#expired();
  }
}
