/** A clock that moves when the test says so. */
import type { Clock } from '../../src/service/clock.ts';

export class ManualClock implements Clock {
  #now = 1_000_000;
  #timers: { at: number; action: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter((timer) => timer.at <= this.#now);
    this.#timers = this.#timers.filter((timer) => timer.at > this.#now);
    for (const timer of due.sort((a, b) => a.at - b.at)) timer.action();
  }
}
