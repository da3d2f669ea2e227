/**
 * One connection to one service: handshake, preflight, correlation, events (PROTOCOL.md, "Handshake", "Initialize",
 * "Preflight", "Envelopes").
 * Invariants: no mutation is sent before the preflight has passed; the first record that breaks the protocol
 * ends the connection; whoever awaits a response sees it before the record after it is handled.
 */
import { PROTOCOL_VERSION, type RequestEnvelope } from '../wire/envelope.ts';
import type { InitializeResult } from '../wire/initialize.ts';
import { encodeRecord } from '../wire/json.ts';
import { LIMITS } from '../wire/limits.ts';
import {
  ALL_OPERATIONS,
  type AnyMethod,
  type RequestPayload,
  type ResultPayload,
} from '../wire/operations.ts';
import { preflight } from '../wire/preflight.ts';
import { SlotLine, whileBusy } from './busy.ts';
import { type ConnectionIds, Correlator, type Slots } from './correlator.ts';
import { decodeEvent, decodeRecord, type WireEvent } from './decode.ts';
import { localFailure, violation, WireFailure } from './failure.ts';
import { greet, type HelloOptions, withDeadline } from './hello.ts';
import type { LineEnd, LineSocket } from './line-socket.ts';
import { LoginOrder } from './login-order.ts';
import { LOCAL_BOUNDS, type OutputBounds, outputBounds } from './output-bounds.ts';
import { realPause } from './pause.ts';
import { checkPayload } from './request-bounds.ts';

export interface ConnectOptions extends HelloOptions {
  /** Names that the service must support, else it refuses with `unsupported_capability`. */
  readonly capabilities?: readonly string[];
  /** Names that are given up when the service does not support one of them. */
  readonly wishes?: readonly string[];
}

export interface Connection {
  /** What the service said of itself. */
  readonly service: InitializeResult;
  /** @throws WireFailure the service's refusal; payload_too_large or limit_exceeded before sending; link_lost; request_abandoned */
  request<M extends AnyMethod>(
    method: M,
    payload: RequestPayload<M>,
    slots?: Slots,
  ): Promise<ResultPayload<M>>;
  /** Events in their order. Returns the way to stop. */
  onEvent(listener: (event: WireEvent) => void): () => void;
  /** Called once, also when the connection has ended already. Returns the way to stop. */
  onClose(listener: (reason: WireFailure) => void): () => void;
  close(): void;
  /** Ends the connection because of what was found in its events. */
  abort(reason: WireFailure): void;
}

/** Some services do this work for one client at a time: a read that meets another is asked again. */
const BUSY_CODES = ['auth_busy', 'configuration_busy'];

/** Reads that some services do one at a time. */
const SLOTS: { readonly [M in AnyMethod]?: 'auth' | 'configuration' } = {
  status: 'auth',
  'auth.status': 'auth',
  'catalog.providers': 'configuration',
  'catalog.models': 'configuration',
  'config.get': 'configuration',
};

/**
 * @throws WireFailure endpoint_*, version_mismatch, preflight_refused, protocol_violation, or the code with which
 * the service refused `initialize`
 */
export async function openConnection(options: ConnectOptions): Promise<Connection> {
  const line = await greet(options);
  const channel = new Channel(line);
  try {
    const service = await withDeadline(
      channel.initialize(options.capabilities ?? [], options.wishes ?? []),
      options.timeoutMs ?? LIMITS.handshake_timeout_ms,
    );
    const asked = [...(options.capabilities ?? []), ...(options.wishes ?? [])];
    const refused = preflight(service, { ...options, asked });
    if (refused !== null) throw localFailure('preflight_refused', refused);
    return channel.connect(service);
  } catch (error) {
    channel.abort(error instanceof WireFailure ? error : localFailure('unexpected'));
    throw error;
  }
}

/** `initialize` asks who is there. */
const NOBODY: ConnectionIds = { instance_id: null, connection_id: null };

/** The stream of records below a `Connection`, from the line after the handshake on. */
class Channel {
  readonly #line: LineSocket;
  readonly #requests = new Correlator({
    send: (request) => this.#write(request),
    silent: () => this.abort(localFailure('endpoint_silent')),
  });
  readonly #logins = new LoginOrder();
  readonly #lines = { auth: new SlotLine(), configuration: new SlotLine() };
  readonly #eventListeners = new Set<(event: WireEvent) => void>();
  readonly #closeListeners = new Set<(reason: WireFailure) => void>();
  #ids: ConnectionIds = NOBODY;
  #events: readonly string[] = [];
  #bounds: OutputBounds = LOCAL_BOUNDS;
  #ended: WireFailure | null = null;

  constructor(line: LineSocket) {
    this.#line = line;
    line.listen({ line: (bytes) => this.#record(bytes), end: (cause) => this.#end(cause) });
  }

  async initialize(needs: readonly string[], wishes: readonly string[]): Promise<InitializeResult> {
    try {
      const result = await this.#negotiate(needs, wishes);
      if (result.instance_id !== this.#ids.instance_id || result.connection_id !== this.#ids.connection_id)
        throw violation('the identities of the connection contradict each other');
      return result;
    } catch (error) {
      // What ended the stream says more than that the request was lost.
      throw this.#ended ?? error;
    }
  }

  /** A refused attempt may be repeated on the same connection. */
  async #negotiate(needs: readonly string[], wishes: readonly string[]): Promise<InitializeResult> {
    const attempt = (names: readonly string[]) => {
      const payload = {
        supported_protocol_versions: [PROTOCOL_VERSION],
        requested_capabilities: [...names],
      };
      return this.#requests.request('initialize', payload, {});
    };
    if (wishes.length === 0) return attempt(needs);
    try {
      return await attempt([...needs, ...wishes]);
    } catch (error) {
      if (!(error instanceof WireFailure) || error.code !== 'unsupported_capability') throw error;
      return attempt(needs);
    }
  }

  connect(service: InitializeResult): Connection {
    this.#events = service.capabilities.events;
    this.#bounds = outputBounds(service.limits);
    this.#requests.trust(service);
    return {
      service,
      request: async (method, payload, slots = {}) => {
        const tooLarge = checkPayload(payload, service);
        if (tooLarge !== null) throw tooLarge;
        const send = () => this.#requests.request(method, payload, slots);
        if (ALL_OPERATIONS[method].mutation) return send();
        const read = () => whileBusy(send, BUSY_CODES, realPause);
        const slot = SLOTS[method];
        return slot === undefined ? read() : this.#lines[slot].take(read);
      },
      onEvent: (listener) => subscribe(this.#eventListeners, listener),
      onClose: (listener) => this.#onClose(listener),
      close: () => this.abort(localFailure('closed')),
      abort: (reason) => this.abort(reason),
    };
  }

  abort(reason: WireFailure): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#line.destroy();
    this.#requests.lose();
    for (const listener of [...this.#closeListeners]) listener(reason);
    this.#closeListeners.clear();
    this.#eventListeners.clear();
  }

  #onClose(listener: (reason: WireFailure) => void): () => void {
    const ended = this.#ended;
    if (ended === null) return subscribe(this.#closeListeners, listener);
    queueMicrotask(() => listener(ended));
    return () => {};
  }

  #write(request: Omit<RequestEnvelope, keyof ConnectionIds>): void {
    this.#logins.sent(request);
    const ids = request.method === 'initialize' ? NOBODY : this.#ids;
    this.#line.write(encodeRecord({ ...request, ...ids }));
  }

  #end(cause: LineEnd): void {
    this.abort(cause === 'closed' ? localFailure('endpoint_closed') : violation('a record is too long'));
  }

  #record(bytes: Uint8Array): 'go-on' | 'yield' {
    const decoded = decodeRecord(bytes, this.#bounds);
    if (decoded.kind === 'violation') return this.#violate(decoded.detail);
    const { record } = decoded;
    if (!this.#isOurs(record)) return this.#violate('a record belongs to another connection');
    if (record.kind === 'response') {
      const wrong = this.#logins.answered(record) ?? this.#requests.settle(record);
      return wrong === null ? 'yield' : this.#violate(wrong);
    }
    const event = this.#events.includes(record.event) ? decodeEvent(record) : null;
    if (event === null) return this.#violate('an event is unknown or has the wrong shape');
    const wrong = event.sessionId === null ? this.#logins.place(event) : null;
    if (wrong !== null) return this.#violate(wrong);
    for (const listener of [...this.#eventListeners]) listener(event);
    return 'go-on';
  }

  /** The first record tells the identities; all later ones repeat them. */
  #isOurs(ids: { readonly instance_id: string; readonly connection_id: string }): boolean {
    if (this.#ids.instance_id === null)
      this.#ids = { instance_id: ids.instance_id, connection_id: ids.connection_id };
    return ids.instance_id === this.#ids.instance_id && ids.connection_id === this.#ids.connection_id;
  }

  #violate(detail: string): 'go-on' {
    this.abort(violation(detail));
    return 'go-on';
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
