/**
 * Open requests of one connection (PROTOCOL.md, "Envelopes").
 * Invariants: at most `window` requests are in flight, the rest wait in order; every request is settled
 * exactly once; a response settles only the request whose method, session and operation it echoes.
 */
import { randomUUID } from 'node:crypto';
import {
  type Control,
  PROTOCOL_VERSION,
  type RequestEnvelope,
  type ResponseEnvelope,
} from '../wire/envelope.ts';
import type { Json } from '../wire/json.ts';
import { type Method, OPERATIONS, type RequestPayload, type ResultPayload } from '../wire/operations.ts';
import { type Certainty, refusal, unanswered, type WireFailure } from './failure.ts';

export interface Slots {
  readonly sessionId?: string;
  readonly control?: Control;
  /** For mutations; a fresh one is made when it is absent. */
  readonly operationId?: string;
  /** Gives the request up on this side; what was sent stays sent. */
  readonly signal?: AbortSignal;
}

/** Who speaks to whom; null slots before `initialize`. */
export interface ConnectionIds {
  readonly instance_id: string | null;
  readonly connection_id: string | null;
}

interface Pending {
  readonly envelope: Omit<RequestEnvelope, 'instance_id' | 'connection_id'>;
  readonly mutation: boolean;
  /** False when the payload is not what the operation gives. */
  accept(payload: Json): boolean;
  fail(failure: WireFailure): void;
}

export class Correlator {
  readonly #send: (request: Omit<RequestEnvelope, 'instance_id' | 'connection_id'>) => void;
  readonly #inFlight = new Map<string, Pending>();
  #waiting: Pending[] = [];
  #window: number;
  #count = 0;
  #lost = false;

  /** @param send hands a request to the socket; called at once or when a place is free */
  constructor(
    send: (request: Omit<RequestEnvelope, 'instance_id' | 'connection_id'>) => void,
    window: number,
  ) {
    this.#send = send;
    this.#window = window;
  }

  narrow(window: number): void {
    this.#window = Math.min(this.#window, window);
  }

  /** @throws WireFailure the service's refusal, link_lost or request_abandoned */
  request<M extends Method>(method: M, payload: RequestPayload<M>, slots: Slots): Promise<ResultPayload<M>> {
    return new Promise((resolve, reject) => {
      const stop = () => this.#abandon(pending);
      const settled = () => slots.signal?.removeEventListener('abort', stop);
      const pending: Pending = {
        envelope: this.#envelope(method, payload, slots),
        mutation: OPERATIONS[method].mutation,
        accept: (answer) => {
          settled();
          const result = OPERATIONS[method].result.safeParse(answer);
          // Checked by the schema of this very method.
          if (result.success) resolve(result.data as ResultPayload<M>);
          return result.success;
        },
        fail: (failure) => {
          settled();
          reject(failure);
        },
      };
      if (this.#lost) return pending.fail(unanswered('link_lost', 'certain'));
      if (slots.signal?.aborted) return pending.fail(unanswered('request_abandoned', 'certain'));
      slots.signal?.addEventListener('abort', stop);
      this.#waiting.push(pending);
      this.#pump();
    });
  }

  /** Settles the request that this response answers. Words that say what is wrong with it, or null. */
  settle(response: ResponseEnvelope): string | null {
    const pending = response.request_id === null ? undefined : this.#inFlight.get(response.request_id);
    if (pending === undefined) return 'a response answers no open request';
    const { envelope } = pending;
    if (
      response.method !== envelope.method ||
      response.session_id !== envelope.session_id ||
      response.operation_id !== envelope.operation_id
    )
      return 'a response does not match its request';
    if ((response.error === null) === (response.payload === null))
      return 'a response must carry either a result or an error';
    if (response.error === null && !pending.accept(response.payload)) return 'a result has the wrong shape';
    if (response.error !== null) pending.fail(refusal(response.error));
    this.#inFlight.delete(envelope.request_id);
    this.#pump();
    return null;
  }

  /** The link ended: everything open fails, sent mutations as uncertain. */
  lose(): void {
    this.#lost = true;
    const sent = [...this.#inFlight.values()];
    const unsent = this.#waiting;
    this.#inFlight.clear();
    this.#waiting = [];
    for (const pending of sent) pending.fail(unanswered('link_lost', certaintyOf(pending)));
    for (const pending of unsent) pending.fail(unanswered('link_lost', 'certain'));
  }

  #envelope(method: Method, payload: unknown, slots: Slots): Pending['envelope'] {
    const operationId = OPERATIONS[method].mutation ? (slots.operationId ?? randomUUID()) : null;
    this.#count += 1;
    return {
      protocol_version: PROTOCOL_VERSION,
      kind: 'request',
      request_id: `req-${this.#count}`,
      session_id: slots.sessionId ?? null,
      operation_id: operationId,
      control: slots.control ?? null,
      method,
      // Request payloads are plain JSON by their schemas.
      payload: payload as RequestEnvelope['payload'],
    };
  }

  #pump(): void {
    while (this.#inFlight.size < this.#window) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#inFlight.set(next.envelope.request_id, next);
      this.#send(next.envelope);
    }
  }

  /** An unsent request is forgotten; a sent one keeps its place until its response has come. */
  #abandon(pending: Pending): void {
    const index = this.#waiting.indexOf(pending);
    if (index !== -1) this.#waiting.splice(index, 1);
    pending.fail(unanswered('request_abandoned', index === -1 ? certaintyOf(pending) : 'certain'));
  }
}

function certaintyOf(pending: Pending): Certainty {
  return pending.mutation ? 'uncertain' : 'certain';
}
