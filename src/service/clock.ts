/** Time as a value that tests can hold in their hands. */
export interface Clock {
  /** Unix time, ms. It jumps when somebody sets the clock: for dates only. */
  now(): number;
  /** Ms since some moment. It never jumps: ages are told by it. */
  elapsed(): number;
  /** Runs `action` once after `ms`; the result cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits for the work, but not longer. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let cancel: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([work, limit]);
  cancel();
}
