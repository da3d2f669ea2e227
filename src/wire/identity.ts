/** Who a service is: the pair of canonical workspace and canonical state root (PROTOCOL.md, "Endpoint"). */
import { createHash } from 'node:crypto';

/** First 48 hex digits of SHA-256 over length-prefixed path bytes: the name of socket and lock. */
export function serviceKey(workspace: string, stateRoot: string): string {
  const hash = createHash('sha256');
  for (const path of [workspace, stateRoot]) {
    const bytes = Buffer.from(path, 'utf8');
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    hash.update(length).update(bytes);
  }
  return hash.digest('hex').slice(0, 48);
}

/** `workspace_id` or `state_root_id`: SHA-256 hex of the canonical path bytes alone. */
export function pathId(path: string): string {
  return createHash('sha256').update(Buffer.from(path, 'utf8')).digest('hex');
}
