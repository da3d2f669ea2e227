/**
 * Gives memory back once a service has had nothing to do for a while. V8 collects when it allocates, and who rests
 * allocates nothing: without this the garbage of the last turn stays resident until the next one.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../clock.ts';

/** Without a change of connections or work, in ms. */
const REST_MS = 5_000;

export class RestWatch {
  readonly #clock: Clock;
  readonly #isResting: () => boolean;
  readonly #collect: () => void;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, isResting: () => boolean, collect: () => void = collectGarbage) {
    this.#clock = clock;
    this.#isResting = isResting;
    this.#collect = collect;
  }

  /** To be called whenever work or connections come or go. */
  check(): void {
    this.close();
    if (!this.#isResting()) return;
    this.#cancel = this.#clock.after(REST_MS, () => {
      this.#cancel = null;
      if (this.#isResting()) this.#collect();
    });
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}

/** `last-resort` also returns the emptied pages to the system; a plain collection keeps them. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}
