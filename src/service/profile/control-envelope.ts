/** Who controls a session, for the record (PROTOCOL.md, "Session profile"). Ordinary clients leave no trace. */
import { type Envelope, envelopeId } from '../../transcript/envelope.ts';

/** @param connection that took control; nobody has it any more without one */
export function controlEnvelope(clientType: 'cli' | 'daemon', time: number, connection?: string): Envelope {
  const ev = { t: 'session-control-changed', clientType } as const;
  return {
    id: envelopeId(),
    time,
    role: 'agent',
    ev: connection === undefined ? ev : { ...ev, tokenId: connection },
  };
}
