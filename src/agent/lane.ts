/**
 * The order in which the tool calls of one reply run. Invariants: calls begin in the order in which they came;
 * a call that runs alone overlaps with no other; those that run together overlap only with their neighbours.
 */
export interface Lane {
  alone<T>(work: () => Promise<T>): Promise<T>;
  together<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(): Lane {
  let lastAlone: Promise<unknown> = Promise.resolve();
  let group: Promise<unknown>[] = [];
  return {
    alone(work) {
      const run = Promise.allSettled([lastAlone, ...group]).then(work);
      lastAlone = run;
      group = [];
      return run;
    },
    together(work) {
      const run = Promise.allSettled([lastAlone]).then(work);
      group.push(run);
      return run;
    },
  };
}
