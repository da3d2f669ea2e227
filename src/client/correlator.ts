/**
 * Open requests of one connection (PROTOCOL.md, "Envelopes").
 * Invariants: at most `window` requests are in flight, the rest wait in order; every request is settled
 * exactly once; a response settles only the request whose method, session and operation it echoes, with a result that
 * is about what was asked; no sent request waits for ever.
 */
import { randomUUID } from 'node:crypto';
import {
  type Control,
  PROTOCOL_VERSION,
  type RequestEnvelope,
  type ResponseEnvelope,
} from '../wire/envelope.ts';
import type { InitializeResult } from '../wire/initialize.ts';
import type { Json } from '../wire/json.ts';
import { CLIENT_WINDOW, LIMITS } from '../wire/limits.ts';
import {
  ALL_OPERATIONS,
  type AnyMethod,
  type RequestPayload,
  type ResultPayload,
} from '../wire/operations.ts';
import { contradiction } from './answers.ts';
import { type Certainty, refusal, unanswered, type WireFailure } from './failure.ts';
import { Silence } from './silence.ts';

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

/** A request without the identities of its connection. */
type Request = Omit<RequestEnvelope, 'instance_id' | 'connection_id'>;

interface Pending {
  readonly envelope: Request;
  readonly mutation: boolean;
  /** Words that say why the payload is not what was asked for, or null. */
  accept(payload: Json): string | null;
  fail(failure: WireFailure): void;
}

export interface CorrelatorParts {
  /** Hands a request to the socket; called at once or when a place is free. */
  readonly send: (request: Request) => void;
  /** A request got no response in time. */
  readonly silent: () => void;
}

/** What the service may take to admit a request, and some time for the answer. */
const SILENCE_MS = LIMITS.request_timeout_ms + 5_000;
/** Work without a bound: a provider is asked, or the end of a sign-in is waited for. */
const UNBOUNDED: ReadonlySet<string> = new Set(['catalog.refresh', 'auth.logout']);

export class Correlator {
  readonly #send: CorrelatorParts['send'];
  readonly #silence: Silence;
  readonly #inFlight = new Map<string, Pending>();
  #waiting: Pending[] = [];
  #window: number = CLIENT_WINDOW;
  /** Null until `initialize` has told who answers. */
  #service: InitializeResult | null = null;
  #count = 0;
  #lost = false;

  constructor({ send, silent }: CorrelatorParts) {
    this.#send = send;
    this.#silence = new Silence(SILENCE_MS, silent);
  }

  /** From now on results must be those of this service. */
  trust(service: InitializeResult): void {
    this.#service = service;
    this.#window = Math.min(this.#window, service.limits.max_inflight_requests ?? CLIENT_WINDOW);
  }

  /** @throws WireFailure the service's refusal, link_lost or request_abandoned */
  request<M extends AnyMethod>(
    method: M,
    payload: RequestPayload<M>,
    slots: Slots,
  ): Promise<ResultPayload<M>> {
    return new Promise((resolve, reject) => {
      const stop = () => this.#abandon(pending);
      const settled = () => slots.signal?.removeEventListener('abort', stop);
      const pending: Pending = {
        envelope: this.#envelope(method, payload, slots),
        mutation: ALL_OPERATIONS[method].mutation,
        accept: (answer) => {
          const parsed = ALL_OPERATIONS[method].result.safeParse(answer);
          if (!parsed.success) return 'a result has the wrong shape';
          // Checked by the schema of this very method.
          const result = parsed.data as ResultPayload<M>;
          const wrong = this.#contradiction(method, result, { payload, slots, answer });
          if (wrong !== null) return wrong;
          settled();
          resolve(result);
          return null;
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
    const wrong = response.error === null ? pending.accept(response.payload) : null;
    if (wrong !== null) return wrong;
    if (response.error !== null) pending.fail(refusal(response.error));
    this.#inFlight.delete(envelope.request_id);
    this.#silence.answered(envelope.request_id);
    this.#pump();
    return null;
  }

  /** The link ended: everything open fails, sent mutations as uncertain. */
  lose(): void {
    this.#lost = true;
    this.#silence.stop();
    const sent = [...this.#inFlight.values()];
    const unsent = this.#waiting;
    this.#inFlight.clear();
    this.#waiting = [];
    for (const pending of sent) pending.fail(unanswered('link_lost', certaintyOf(pending)));
    for (const pending of unsent) pending.fail(unanswered('link_lost', 'certain'));
  }

  #contradiction<M extends AnyMethod>(
    method: M,
    result: ResultPayload<M>,
    asked: { payload: RequestPayload<M>; slots: Slots; answer: Json },
  ): string | null {
    const service = this.#service;
    const { answer, payload, slots } = asked;
    if (service === null) return null;
    return contradiction(method, result, { payload, sessionId: slots.sessionId ?? null, service, answer });
  }

  #envelope(method: AnyMethod, payload: unknown, slots: Slots): Request {
    const operationId = ALL_OPERATIONS[method].mutation ? (slots.operationId ?? randomUUID()) : null;
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
      const { method, request_id } = next.envelope;
      this.#inFlight.set(request_id, next);
      if (!UNBOUNDED.has(method)) this.#silence.sent(request_id);
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
