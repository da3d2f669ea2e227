/**
 * What a result must have in common with its request and its service, beyond its shape (PROTOCOL.md, "Envelopes").
 * The words are fixed and quote nothing.
 */
import type { InitializeResult } from '../wire/initialize.ts';
import { encodedBytes, type Json } from '../wire/json.ts';
import { limitOf } from '../wire/limits.ts';
import type { AnyMethod, RequestPayload, ResultPayload } from '../wire/operations.ts';
import { SESSION_PROTOCOL_LIMITS } from '../wire/session-protocol.ts';

export interface Asked<M extends AnyMethod> {
  readonly payload: RequestPayload<M>;
  readonly sessionId: string | null;
  readonly service: InitializeResult;
  /** The result as it came, unknown members included. */
  readonly answer: Json;
}

/** Words that say what is wrong, or null. */
type Check<M extends AnyMethod> = (result: ResultPayload<M>, asked: Asked<M>) => string | null;

const OTHER_LOGIN = 'an answer names another sign-in';
const OTHER_SESSION = 'an answer names another session';
const OTHER_CALL = 'an answer names another tool call';
const OTHER_PROVIDER = 'an answer names another provider';

const CHECKS: { readonly [M in AnyMethod]?: Check<M> } = {
  status: (result, { service }) =>
    result.instance_id === service.instance_id &&
    result.workspace_id === service.workspace_id &&
    result.state_root_id === service.state_root_id
      ? null
      : 'a status is that of another service',
  'session.claim': ({ snapshot }, { answer, service, sessionId }) => {
    if (snapshot.session_id !== sessionId || snapshot.instance_id !== service.instance_id)
      return 'a snapshot belongs to another session';
    return encodedBytes(memberOf(answer, 'snapshot')) > limitOf(service.limits, 'max_snapshot_bytes')
      ? 'a snapshot passes the size limit'
      : null;
  },
  'session.replay': (_result, { answer, service }) =>
    encodedBytes(answer) > limitOf(service.limits, 'max_session_replay_page_bytes')
      ? 'a replay page passes the size limit'
      : null,
  'turn.cancel': (result, { payload, sessionId }) =>
    result.turn_id === payload.turn_id && result.session_id === sessionId
      ? null
      : 'a cancellation names another turn',
  'operation.lookup': (result, { payload }) =>
    result.operation_id === payload.operation_id && result.target_instance_id === payload.target_instance_id
      ? null
      : 'a lookup names another operation',
  'session.rename': ({ session_id }, { sessionId }) => (session_id === sessionId ? null : OTHER_SESSION),
  'session.archive': ({ session_id }, { sessionId }) => (session_id === sessionId ? null : OTHER_SESSION),
  'session.envelopes': (_result, { answer }) =>
    encodedBytes(answer) > SESSION_PROTOCOL_LIMITS.max_page_bytes ? 'a page passes the size limit' : null,
  'turn.steer': (result, { payload }) =>
    result.turn_id === payload.turn_id ? null : 'an answer names another turn',
  'turn.permission_response': (result, { payload }) => (result.call === payload.call ? null : OTHER_CALL),
  'tool.output': (result, { payload }) =>
    result.call === payload.call && result.offset === payload.offset ? null : OTHER_CALL,
  'auth.login.start': (result, { payload }) =>
    result.provider_id === payload.provider_id ? null : OTHER_PROVIDER,
  'auth.login.callback': (result, { payload }) => (result.login_id === payload.login_id ? null : OTHER_LOGIN),
  'auth.login.cancel': (result, { payload }) => (result.login_id === payload.login_id ? null : OTHER_LOGIN),
  'auth.logout': (result, { payload }) =>
    result.provider_id === payload.provider_id ? null : OTHER_PROVIDER,
  'catalog.models': (result, { payload }) =>
    result.entries.every((entry) => entry.provider_id === payload.provider_id) ? null : OTHER_PROVIDER,
  'catalog.refresh': (result, { payload }) =>
    result.provider_id === payload.provider_id ? null : OTHER_PROVIDER,
  'config.set': (result, { payload }) =>
    result.scope === payload.scope ? null : 'an answer names another scope',
};

/** Words that say why a result of the right shape cannot be the answer to this request, or null. */
export function contradiction<M extends AnyMethod>(
  method: M,
  result: ResultPayload<M>,
  asked: Asked<M>,
): string | null {
  return CHECKS[method]?.(result, asked) ?? null;
}

/** A member of what a schema has found to be an object. */
function memberOf(answer: Json, name: string): unknown {
  return Reflect.get(Object(answer), name);
}
