/** Reads that meet a busy service are asked again; mutations never are (PROTOCOL.md, "Queues and timers"). */
import { WireFailure } from './failure.ts';
import { jittered, type Pause } from './pause.ts';

/**
 * Reads of which some services do one at a time for all clients: this client's own stand in line, so that they
 * meet nobody but others.
 */
export class SlotLine {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `read` once those before it are done; at once when there are none. */
  take<T>(read: () => Promise<T>): Promise<T> {
    const turn = this.#waiting === 0 ? read() : this.#last.then(read);
    this.#waiting += 1;
    this.#last = turn
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1;
      });
    return turn;
  }
}

/** Pauses before asking again, ms. */
const BUSY_PAUSES = [50, 100, 200, 400, 800, 1_600];

/**
 * What `read` gives once the service is not busy any more.
 * @param codes refusals that pass by themselves
 * @throws WireFailure any other refusal at once; a busy one after several tries
 */
export async function whileBusy<T>(
  read: () => Promise<T>,
  codes: readonly string[],
  pause: Pause,
): Promise<T> {
  for (const ms of BUSY_PAUSES) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof WireFailure) || !codes.includes(error.code)) throw error;
      await pause(jittered(ms));
    }
  }
  return read();
}
