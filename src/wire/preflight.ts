/**
 * Decides after `initialize` and before any mutation whether this peer can be trusted with work
 * (PROTOCOL.md, "Preflight"). Refusal is final for the connection.
 */
import { pathId } from './identity.ts';
import type { Capabilities, InitializeResult } from './initialize.ts';
import { CONSUMED_LIMITS, LIMITS, type LimitName, MAX_SUMMARY_BYTES } from './limits.ts';
import {
  isEventName,
  isProfileEvent,
  type Method,
  PROFILE_EVENTS,
  PROFILE_OPERATIONS,
} from './operations.ts';
import { SESSION_PROTOCOL, SESSION_PROTOCOL_LIMITS } from './session-protocol.ts';

export interface ServiceIdentity {
  /** Canonical path of the folder. */
  readonly workspace: string;
  /** Canonical path of the state root. */
  readonly stateRoot: string;
}

type LimitMap = InitializeResult['limits'];

/** Without these no conversation is possible. */
const REQUIRED_OPERATIONS: readonly Method[] = [
  'initialize',
  'status',
  'capabilities',
  'session.list',
  'session.create',
  'session.active',
  'session.claim',
  'session.detach',
  'session.replay',
  'turn.start',
  'turn.cancel',
  'operation.lookup',
];
const REQUIRED_EVENTS = ['turn.started', 'turn.assistant_delta', 'turn.terminal'] as const;

/** What the client meant to reach. */
export interface Expected {
  readonly identity: ServiceIdentity;
  /** The package version that the greeting named. */
  readonly version: string;
  /** Profiles that were asked for. */
  readonly asked?: readonly string[];
}

/** Null when the peer is good, otherwise a sentence that says what is wrong. */
export function preflight(result: InitializeResult, expected: Expected): string | null {
  const { capabilities } = result;
  const { stateRoot, workspace } = expected.identity;
  if (result.workspace_id !== pathId(workspace)) return 'The service works in another folder.';
  if (result.state_root_id !== pathId(stateRoot)) return 'The service keeps its state elsewhere.';
  if (result.server_version !== expected.version)
    return 'The service names another version than in its greeting.';
  if (!capabilities.protocol_versions.includes(2)) return 'The service does not speak wire version 2.';
  if (!capabilities.transports.includes('unix')) return 'The service does not offer the Unix transport.';
  const missing = REQUIRED_OPERATIONS.find((name) => !capabilities.operations.includes(name));
  if (missing !== undefined) return `The service lacks the operation ${missing}.`;
  const unsent = REQUIRED_EVENTS.find((name) => !capabilities.events.includes(name));
  if (unsent !== undefined) return `The service does not send ${unsent}.`;
  const profile = checkProfile(capabilities, expected.asked ?? []);
  if (profile !== null) return profile;
  const granted = capabilities.negotiated_capabilities?.includes(SESSION_PROTOCOL) === true;
  if (!capabilities.events.every((name) => isEventName(name) || (granted && isProfileEvent(name))))
    return 'The service sends an event that this version does not know.';
  if (capabilities.events.includes('turn.activity') && !capabilities.activity.events)
    return 'The service contradicts itself about activity.';
  if (capabilities.activity.max_summary_bytes > MAX_SUMMARY_BYTES)
    return 'The service may send longer summaries than this version can hold.';
  return checkLimits(result);
}

/** A profile is granted whole, and only when it was asked for. */
function checkProfile(capabilities: Capabilities, asked: readonly string[]): string | null {
  const { events, negotiated_capabilities: granted = [], operations, session_protocol } = capabilities;
  if (!granted.every((name) => asked.includes(name)))
    return 'The service grants a profile that was not asked for.';
  if (granted.includes(SESSION_PROTOCOL) !== (session_protocol !== undefined))
    return 'The service contradicts itself about the session profile.';
  if (session_protocol === undefined) return null;
  const needed = [...Object.keys(PROFILE_OPERATIONS), ...Object.keys(PROFILE_EVENTS)];
  const missing = needed.find((name) => !operations.includes(name) && !events.includes(name));
  if (missing !== undefined) return `The service lacks ${missing} of the session profile.`;
  const { max_envelope_bytes, max_page_bytes, max_page_items, max_text_bytes } = SESSION_PROTOCOL_LIMITS;
  const fits =
    session_protocol.max_envelope_bytes <= max_envelope_bytes &&
    session_protocol.max_page_bytes <= max_page_bytes &&
    session_protocol.max_page_items <= max_page_items &&
    session_protocol.max_text_bytes <= max_text_bytes;
  return fits ? null : 'The service may send larger envelopes than this version can hold.';
}

function checkLimits(result: InitializeResult): string | null {
  for (const name of limitNames()) {
    const value = result.limits[name];
    if (value === undefined) return `The service does not state its limit ${name}.`;
    if (value !== result.capabilities.limits[name]) return `The service states two values for ${name}.`;
    if (CONSUMED_LIMITS.includes(name) && value > LIMITS[name])
      return `The service may send more than this version can hold (${name} ${value}, here ${LIMITS[name]}).`;
  }
  return sameLimits(result.limits, result.capabilities.limits)
    ? null
    : 'The service states two values for a limit.';
}

/** Limits that we do not know must agree as well. */
function sameLimits(left: LimitMap, right: LimitMap): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => left[name] === right[name]);
}

function limitNames(): LimitName[] {
  const known: readonly string[] = Object.keys(LIMITS);
  return known.filter((name): name is LimitName => Object.hasOwn(LIMITS, name));
}
