/** What a connection asks for before anything else, and what it is told it has (PROTOCOL.md, "Initialize", "Session profile"). */
import { PROTOCOL_VERSION } from '../../wire/envelope.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import { type Capabilities, initializeRequest } from '../../wire/initialize.ts';
import type { Json } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import { isMethod, PROFILE_EVENTS, PROFILE_OPERATIONS } from '../../wire/operations.ts';
import {
  decision,
  permissionMode,
  SESSION_PROTOCOL,
  SESSION_PROTOCOL_LIMITS,
} from '../../wire/session-protocol.ts';
import { CAPABILITIES } from '../bounds.ts';

export type Negotiation =
  | { readonly ok: true; readonly profile: boolean }
  | { readonly ok: false; readonly code: ErrorCode };

/** Judges the payload of `initialize`. Operations of a profile are no capabilities of their own. */
export function negotiate(payload: Json): Negotiation {
  const parsed = initializeRequest.safeParse(payload);
  if (!parsed.success) return { ok: false, code: 'invalid_payload' };
  const { requested_capabilities: names, supported_protocol_versions: versions } = parsed.data;
  if (!versions.includes(PROTOCOL_VERSION)) return { ok: false, code: 'unsupported_version' };
  const most = LIMITS.max_negotiation_items;
  if (versions.length > most || names.length > most) return { ok: false, code: 'limit_exceeded' };
  if (!names.every((name) => isMethod(name) || name === SESSION_PROTOCOL))
    return { ok: false, code: 'unsupported_capability' };
  return { ok: true, profile: names.includes(SESSION_PROTOCOL) };
}

const PROFILE_CAPABILITIES: Capabilities = {
  ...CAPABILITIES,
  operations: [...CAPABILITIES.operations, ...Object.keys(PROFILE_OPERATIONS)],
  events: [...CAPABILITIES.events, ...Object.keys(PROFILE_EVENTS)],
  negotiated_capabilities: [SESSION_PROTOCOL],
  session_protocol: {
    ...SESSION_PROTOCOL_LIMITS,
    permission_modes: [...permissionMode.options],
    decisions: [...decision.options],
  },
};

export function capabilitiesOf({ profile }: { readonly profile: boolean }): Capabilities {
  return profile ? PROFILE_CAPABILITIES : CAPABILITIES;
}
