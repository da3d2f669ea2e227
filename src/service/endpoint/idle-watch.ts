/** Ends the service when nobody has used it for a while (PROTOCOL.md, "Queues and timers"). */
import type { Clock } from '../clock.ts';

export interface IdleTiming {
  /** From the moment it has become idle. */
  readonly idleShutdownMs: number;
  /** From its start: whoever started it needs time to come. */
  readonly startupGraceMs: number;
}

export class IdleWatch {
  readonly #clock: Clock;
  readonly #timing: IdleTiming;
  readonly #isIdle: () => boolean;
  readonly #expired: () => void;
  readonly #startedAt: number;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(clock: Clock, timing: IdleTiming, isIdle: () => boolean, expired: () => void) {
    this.#clock = clock;
    this.#timing = timing;
    this.#isIdle = isIdle;
    this.#expired = expired;
    this.#startedAt = clock.elapsed();
  }

  /** To be called whenever work or connections come or go. */
  check(): void {
    if (this.#closed || !this.#isIdle()) {
      this.#cancel?.();
      this.#cancel = null;
      return;
    }
    if (this.#cancel !== null) return;
    const grace = this.#startedAt + this.#timing.startupGraceMs - this.#clock.elapsed();
    this.#cancel = this.#clock.after(Math.max(this.#timing.idleShutdownMs, grace), () => {
      this.#cancel = null;
      if (!this.#closed && this.#isIdle()) this.#expired();
    });
  }

  close(): void {
    this.#closed = true;
    this.check();
  }
}
