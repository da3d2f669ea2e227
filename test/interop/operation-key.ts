/** What a client keeps of a mutation, so that it can ask later what became of it. */
import type { Connection } from '../../src/client/connection.ts';
import type { Method } from '../../src/wire/operations.ts';

export function keyOf(
  { service }: Connection,
  operationId: string,
  method: Method,
  sessionId: string | null = null,
) {
  return { instanceId: service.instance_id, operationId, method, sessionId };
}
