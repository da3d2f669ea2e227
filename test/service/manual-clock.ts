/** A clock that moves when the test says so. */
import type { Clock } from '../../src/service/clock.ts';

export class ManualClock implements Clock {
  #elapsed = 0;
  #wall = 1_000_000;
  #timers: { at: number; action: () => void }[] = [];

  now(): number {
    return this.#wall;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#elapsed + ms, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Time passes. */
  advance(ms: number): void {
    this.#elapsed += ms;
    this.#wall += ms;
    const due = this.#timers.filter((timer) => timer.at <= this.#elapsed);
    this.#timers = this.#timers.filter((timer) => timer.at > this.#elapsed);
    for (const timer of due.sort((a, b) => a.at - b.at)) timer.action();
  }

  /** Somebody sets the clock on the wall: no time passes. */
  jump(ms: number): void {
    this.#wall += ms;
  }
}
