/** Waiting, as a value that tests replace. */
import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after so many ms. */
export type Pause = (ms: number) => Promise<void>;

export const realPause: Pause = async (ms) => {
  await wait(ms);
};

/** Between half of `ms` and all of it, so that clients do not retry in step. */
export function jittered(ms: number): number {
  return Math.round(ms * (0.5 + Math.random() / 2));
}
