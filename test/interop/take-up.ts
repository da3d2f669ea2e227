/** What a client does when its link ended in mid-turn (PROTOCOL.md, "Turns"). */
import { expect } from 'vitest';
import type { Connection } from '../../src/client/connection.ts';
import { type OperationKey, type Settlement, settleOperation } from '../../src/client/lookup.ts';
import { type ControlledSession, claimSession } from '../../src/client/session-control.ts';

/** Claims as soon as the daemon has noticed that the former controller is gone. */
export async function claimWhenFree(connection: Connection, sessionId: string): Promise<ControlledSession> {
  while (true) {
    try {
      return await claimSession(connection, sessionId);
    } catch (error) {
      expect(error).toMatchObject({ code: 'session_controlled' });
    }
  }
}

export interface TakenUp {
  readonly connection: Connection;
  readonly session: ControlledSession;
  /** What the lookup of the `turn.start` said before the claim. */
  readonly settlement: Settlement;
}

/** Handshake, preflight, lookup, claim: the snapshot continues what was heard before. */
export async function takeUp(
  connect: () => Promise<Connection>,
  sessionId: string,
  start: OperationKey,
): Promise<TakenUp> {
  const connection = await connect();
  expect(connection.service.instance_id).toBe(start.instanceId);
  const settlement = await settleOperation(connection, start);
  return { connection, settlement, session: await claimWhenFree(connection, sessionId) };
}
