/** What this service advertises (PROTOCOL.md, "Limits"): the table of the wire, with a roomier operation table. */
import type { Capabilities } from '../wire/initialize.ts';
import { LIMITS, MAX_SUMMARY_BYTES } from '../wire/limits.ts';
import { EVENTS, OPERATIONS } from '../wire/operations.ts';

export const SERVICE_LIMITS = { ...LIMITS, max_operation_entries: 4_096 } as const;

/** Sockets at once, handshakes included; one more is closed without a reply. */
export const MAX_SOCKETS = 32;
/** From the moment a turn is told to stop until it is given up. */
export const ABORT_GRACE_MS = 10_000;

export const CAPABILITIES: Capabilities = {
  protocol_versions: [2],
  transports: ['unix'],
  operations: Object.keys(OPERATIONS),
  events: Object.keys(EVENTS),
  limits: { ...SERVICE_LIMITS },
  activity: {
    events: true,
    approvals: false,
    steering: false,
    mcp_server_lifecycle: false,
    mcp_tool_activity: true,
    subagents: false,
    raw_tool_output: false,
    activity_replay: false,
    max_summary_bytes: MAX_SUMMARY_BYTES,
  },
};
