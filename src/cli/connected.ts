/** A command that asks the service something and ends. */
import type { Connection } from '../client/connection.ts';
import { asFailure, WireFailure } from '../client/failure.ts';
import { dialOf } from './dialling.ts';
import { EXIT, type GlobalFlags, placeOf } from './flags.ts';

/** Runs a job with a connection and closes it. Returns the job's exit code, 3 without a service, 1 for a refusal. */
export async function connected(
  flags: GlobalFlags,
  job: (connection: Connection) => Promise<number>,
): Promise<number> {
  let connection: Connection;
  try {
    connection = await dialOf(flags, placeOf(flags))();
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return told(error, EXIT.unreachable);
  }
  try {
    return await job(connection);
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return told(asFailure(error), error.code === 'link_lost' ? EXIT.unreachable : EXIT.failed);
  } finally {
    connection.close();
  }
}

function told({ next, sentence }: WireFailure, code: number): number {
  process.stderr.write(`magi-term: ${sentence} ${next}\n`);
  return code;
}
