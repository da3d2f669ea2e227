/** What this service advertises (PROTOCOL.md, "Limits"): the table of the wire, with a roomier operation table. */
import type { Capabilities } from '../wire/initialize.ts';
import { LIMITS, MAX_SUMMARY_BYTES } from '../wire/limits.ts';
import { EVENTS, isMethod, type Method, OPERATIONS } from '../wire/operations.ts';

export const SERVICE_LIMITS = { ...LIMITS, max_operation_entries: 4_096 } as const;

/** Operations that this service does not offer yet: whoever asks for one gets `unsupported_operation`. */
type Unserved = 'auth.login.start' | 'auth.login.callback' | 'auth.login.cancel' | 'auth.logout';
export type ServedMethod = Exclude<Method, Unserved>;

const UNSERVED: Readonly<Record<Unserved, true>> = {
  'auth.login.start': true,
  'auth.login.callback': true,
  'auth.login.cancel': true,
  'auth.logout': true,
};

export function isServed(name: string): name is ServedMethod {
  return isMethod(name) && !Object.hasOwn(UNSERVED, name);
}

/** Sockets at once, handshakes included; one more is closed without a reply. */
export const MAX_SOCKETS = 32;
/** From the moment a turn is told to stop until it is given up. */
export const ABORT_GRACE_MS = 10_000;

export const CAPABILITIES: Capabilities = {
  protocol_versions: [2],
  transports: ['unix'],
  operations: Object.keys(OPERATIONS).filter(isServed),
  events: Object.keys(EVENTS).filter((name) => name.startsWith('turn.')),
  limits: { ...SERVICE_LIMITS },
  activity: {
    events: true,
    approvals: false,
    steering: false,
    mcp_server_lifecycle: false,
    mcp_tool_activity: false,
    subagents: false,
    raw_tool_output: false,
    activity_replay: false,
    max_summary_bytes: MAX_SUMMARY_BYTES,
  },
};
