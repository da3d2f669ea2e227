/** What became of a mutation whose response was lost (PROTOCOL.md, "Operations and lookup"). */
import type { LookupResult } from '../wire/operation.ts';
import type { Method } from '../wire/operations.ts';
import type { Connection } from './connection.ts';
import { refusal, violation, type WireFailure } from './failure.ts';
import { type Pause, realPause } from './pause.ts';

export interface OperationKey {
  /** The instance that it was sent to. */
  readonly instanceId: string;
  readonly operationId: string;
  readonly method: Method;
  /** Null for a mutation that belongs to no session. */
  readonly sessionId: string | null;
}

export type Settlement =
  /** Not admitted as far as this instance knows. Offer it to the user again; never send it again unasked. */
  | 'unknown'
  | 'running'
  /** Done; `failure` when it failed in the end. */
  | {
      readonly state: 'terminal';
      readonly result: LookupResult['result'];
      readonly failure: WireFailure | null;
    }
  /** Nothing happened. */
  | { readonly state: 'rejected'; readonly failure: WireFailure }
  /** It was admitted, but how it ended is forgotten: read the session. */
  | { readonly state: 'expired' };

/** Bytes in a socket that has just ended may still be read for an instant. */
const SECOND_LOOK_MS = 150;

/**
 * Looks an operation up, twice when it is unknown at first. Another instance knows nothing: `unknown` without asking.
 * @throws WireFailure link_lost
 */
export async function settleOperation(
  connection: Connection,
  key: OperationKey,
  pause: Pause = realPause,
): Promise<Settlement> {
  if (key.instanceId !== connection.service.instance_id) return 'unknown';
  const first = await look(connection, key);
  if (first !== 'unknown') return first;
  await pause(SECOND_LOOK_MS);
  return look(connection, key);
}

async function look(connection: Connection, key: OperationKey): Promise<Settlement> {
  const found = await connection.request('operation.lookup', {
    target_instance_id: key.instanceId,
    operation_id: key.operationId,
  });
  if (!isAbout(found, key)) {
    const wrong = violation('a lookup names another operation');
    connection.abort(wrong);
    throw wrong;
  }
  const failure = found.error === null ? null : refusal(found.error);
  switch (found.state) {
    case 'unknown':
      return 'unknown';
    case 'in_progress':
    case 'accepted':
      return 'running';
    case 'expired':
      return { state: 'expired' };
    case 'rejected':
      return { state: 'rejected', failure: failure ?? refusal({ code: 'internal_error' }) };
    case 'terminal':
      return { state: 'terminal', result: found.result, failure };
  }
}

/** An operation that the service does not know has no method and no session. */
function isAbout({ method, session_id, state }: LookupResult, key: OperationKey): boolean {
  if (state === 'unknown' || state === 'expired') return true;
  return method === key.method && session_id === key.sessionId;
}
