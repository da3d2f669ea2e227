/** Every operation: which slots it needs, what it takes, what it gives (PROTOCOL.md, "Operations"). */
import type * as z from 'zod';
import {
  authStatusResult,
  loginCallbackRequest,
  loginCallbackResult,
  loginCancelRequest,
  loginCancelResult,
  loginProgress,
  loginStartRequest,
  loginStartResult,
  loginTerminal,
  logoutRequest,
  logoutResult,
} from './auth.ts';
import {
  modelsRequest,
  modelsResult,
  providersRequest,
  providersResult,
  refreshRequest,
  refreshResult,
} from './catalog.ts';
import { configProjection, configSetRequest, configSetResult } from './config.ts';
import { empty } from './fields.ts';
import { capabilities, initializeRequest, initializeResult, statusResult } from './initialize.ts';
import { lookupRequest, lookupResult } from './operation.ts';
import {
  claimResult,
  detachResult,
  listRequest,
  pageRequest,
  replayResult,
  sessionActiveResult,
  sessionCreateResult,
  sessionListResult,
} from './session.ts';
import {
  archiveRequest,
  archiveResult,
  attachFileRequest,
  attachFileResult,
  configureRequest,
  configureResult,
  envelopesRequest,
  envelopesResult,
  forkRequest,
  forkResult,
  permissionResponseRequest,
  permissionResponseResult,
  renameRequest,
  renameResult,
  searchRequest,
  searchResult,
  sessionEnvelopeEvent,
  steerRequest,
  steerResult,
  toolOutputRequest,
  toolOutputResult,
} from './session-protocol.ts';
import {
  turnActivity,
  turnAssistantDelta,
  turnCancelRequest,
  turnCancelResult,
  turnStarted,
  turnStartRequest,
  turnStartResult,
  turnTerminal,
} from './turn.ts';

/** Slots: `mutation` needs an operation ID, `session` a session ID, `control` a grant; without it the slot is null. */
interface Operation {
  readonly mutation: boolean;
  readonly session: boolean;
  readonly control: boolean;
  readonly request: z.ZodType;
  readonly result: z.ZodType;
}

const read = { mutation: false, session: false, control: false } as const;
const mutation = { ...read, mutation: true } as const;
const controlled = { mutation: true, session: true, control: true } as const;

export const OPERATIONS = {
  initialize: { ...read, request: initializeRequest, result: initializeResult },
  status: { ...read, request: empty, result: statusResult },
  capabilities: { ...read, request: empty, result: capabilities },
  'session.list': { ...read, request: listRequest, result: sessionListResult },
  'session.create': { ...mutation, request: empty, result: sessionCreateResult },
  'session.active': { ...read, request: empty, result: sessionActiveResult },
  'session.claim': { ...mutation, session: true, request: empty, result: claimResult },
  'session.detach': { ...controlled, request: empty, result: detachResult },
  'session.replay': { ...read, session: true, request: pageRequest, result: replayResult },
  'turn.start': { ...controlled, request: turnStartRequest, result: turnStartResult },
  'turn.cancel': { ...controlled, request: turnCancelRequest, result: turnCancelResult },
  'operation.lookup': { ...read, request: lookupRequest, result: lookupResult },
  'auth.status': { ...read, request: empty, result: authStatusResult },
  'auth.login.start': { ...mutation, request: loginStartRequest, result: loginStartResult },
  'auth.login.callback': { ...mutation, request: loginCallbackRequest, result: loginCallbackResult },
  'auth.login.cancel': { ...mutation, request: loginCancelRequest, result: loginCancelResult },
  'auth.logout': { ...mutation, request: logoutRequest, result: logoutResult },
  'catalog.providers': { ...read, request: providersRequest, result: providersResult },
  'catalog.models': { ...read, request: modelsRequest, result: modelsResult },
  'catalog.refresh': { ...mutation, request: refreshRequest, result: refreshResult },
  'config.get': { ...read, request: empty, result: configProjection },
  'config.set': { ...mutation, request: configSetRequest, result: configSetResult },
} as const satisfies Record<string, Operation>;

export type Method = keyof typeof OPERATIONS;

/** What a connection can do in addition once it has negotiated `session_protocol_v2`. */
export const PROFILE_OPERATIONS = {
  'session.envelopes': { ...read, session: true, request: envelopesRequest, result: envelopesResult },
  'session.search': { ...read, request: searchRequest, result: searchResult },
  'session.rename': { ...controlled, request: renameRequest, result: renameResult },
  'session.fork': { ...mutation, session: true, request: forkRequest, result: forkResult },
  'session.archive': { ...mutation, session: true, request: archiveRequest, result: archiveResult },
  'session.configure': { ...controlled, request: configureRequest, result: configureResult },
  'session.attach_file': { ...controlled, request: attachFileRequest, result: attachFileResult },
  'turn.steer': { ...controlled, request: steerRequest, result: steerResult },
  'turn.permission_response': {
    ...controlled,
    request: permissionResponseRequest,
    result: permissionResponseResult,
  },
  'tool.output': { ...read, session: true, request: toolOutputRequest, result: toolOutputResult },
} as const satisfies Record<string, Operation>;

export type ProfileMethod = keyof typeof PROFILE_OPERATIONS;

export const ALL_OPERATIONS = { ...OPERATIONS, ...PROFILE_OPERATIONS } as const;

export type AnyMethod = keyof typeof ALL_OPERATIONS;
export type RequestPayload<M extends AnyMethod> = z.input<(typeof ALL_OPERATIONS)[M]['request']>;
export type ResultPayload<M extends AnyMethod> = z.output<(typeof ALL_OPERATIONS)[M]['result']>;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(OPERATIONS, name);
}

export function isProfileMethod(name: string): name is ProfileMethod {
  return Object.hasOwn(PROFILE_OPERATIONS, name);
}

/** The events of the ordinary profile: those of a turn, and those of a sign-in, which only its initiator receives. */
export const EVENTS = {
  'turn.started': turnStarted,
  'turn.assistant_delta': turnAssistantDelta,
  'turn.activity': turnActivity,
  'turn.terminal': turnTerminal,
  'auth.login.progress': loginProgress,
  'auth.login.terminal': loginTerminal,
} as const;

export type EventName = keyof typeof EVENTS;

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/** What a connection with `session_protocol_v2` receives in addition. */
export const PROFILE_EVENTS = { 'session.envelope': sessionEnvelopeEvent } as const;

export function isProfileEvent(name: string): name is keyof typeof PROFILE_EVENTS {
  return Object.hasOwn(PROFILE_EVENTS, name);
}
