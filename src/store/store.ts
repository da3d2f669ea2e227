/**
 * Holds the state and tells listeners. Updates are functions from state to state; any number of them
 * within one frame is one notification, so a delta costs nothing until it can be seen.
 */

export type Update<S> = (state: S) => S;

/** Runs a function after about one frame, or at once for `now`. Returns nothing; may be called often. */
export type Schedule = (run: () => void) => void;

export class Store<S> {
  #state: S;
  #listeners = new Set<() => void>();
  #scheduled = false;
  readonly #schedule: Schedule;

  constructor(initial: S, schedule: Schedule) {
    this.#state = initial;
    this.#schedule = schedule;
  }

  getState = (): S => this.#state;

  /** Applies an update; listeners hear of it within a frame. */
  update(update: Update<S>): void {
    const next = update(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(this.#notify);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #notify = (): void => {
    this.#scheduled = false;
    for (const listener of [...this.#listeners]) listener();
  };
}
