/** Time as a value that tests can hold in their hands. */
export interface Clock {
  /** Unix time, ms. */
  now(): number;
  /** Runs `action` once after `ms`; the result cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
