/**
 * The order of sign-in events (PROTOCOL.md, "Authentication").
 * Invariants: events belong to a sign-in that this connection has begun; they name one login and its provider,
 * as the answer to the start does; states only go forward from `authorization_url`; nothing follows the terminal.
 */
import { loginStartRequest, loginStartResult } from '../wire/auth.ts';
import type { RequestEnvelope, ResponseEnvelope } from '../wire/envelope.ts';
import type { WireEvent } from './decode.ts';

interface Login {
  readonly providerId: string;
  /** Null until the answer or an event has named it. */
  loginId: string | null;
  /** Place in `STATES` of the last event; -1 before the first. */
  place: number;
}

const STATES = ['authorization_url', 'waiting', 'callback_received', 'callback_accepted'] as const;

type LoginWireEvent = Extract<WireEvent, { sessionId: null }>;

export class LoginOrder {
  /** By the operation ID of the start. */
  readonly #logins = new Map<string, Login>();

  /** Takes note of a request on its way to the service. */
  sent({
    method,
    operation_id,
    payload,
  }: Pick<RequestEnvelope, 'method' | 'operation_id' | 'payload'>): void {
    if (method !== 'auth.login.start' || operation_id === null) return;
    const { provider_id: providerId } = loginStartRequest.parse(payload);
    this.#logins.set(operation_id, { providerId, loginId: null, place: -1 });
  }

  /** Takes note of a response; one of the wrong shape is none. Words that say what is wrong, or null. */
  answered({ error, method, operation_id, payload }: ResponseEnvelope): string | null {
    if (method !== 'auth.login.start' || operation_id === null) return null;
    const login = this.#logins.get(operation_id);
    if (error !== null) this.#logins.delete(operation_id);
    const result = loginStartResult.safeParse(payload);
    if (login === undefined || error !== null || !result.success) return null;
    return name(login, result.data.login_id);
  }

  /** Words that say why an event cannot come here, or null. */
  place({ event, operationId, payload }: LoginWireEvent): string | null {
    const login = this.#logins.get(operationId);
    if (login === undefined) return 'an event belongs to no sign-in of this connection';
    if (payload.provider_id !== login.providerId) return 'an event names another provider';
    const wrong = name(login, payload.login_id);
    if (wrong !== null) return wrong;
    if (event === 'auth.login.terminal') {
      this.#logins.delete(operationId);
      return null;
    }
    const place = STATES.indexOf(payload.state);
    if (place <= login.place || (login.place === -1 && place !== 0)) return 'a sign-in does not go forward';
    login.place = place;
    return null;
  }
}

function name(login: Login, loginId: string): string | null {
  login.loginId ??= loginId;
  return login.loginId === loginId ? null : 'an event names another sign-in';
}
