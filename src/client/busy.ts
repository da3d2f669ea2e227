/** Reads that meet a busy service are asked again; mutations never are (PROTOCOL.md, "Queues and timers"). */
import { WireFailure } from './failure.ts';
import { jittered, type Pause } from './pause.ts';

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
