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
import { type Method, OPERATIONS, type RequestPayload, type ResultPayload } from '../wire/operations.ts';
import { preflight } from '../wire/preflight.ts';
import { whileBusy } from './busy.ts';
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
}

export interface Connection {
  /** What the service said of itself. */
  readonly service: InitializeResult;
  /** @throws WireFailure the service's refusal; payload_too_large or limit_exceeded before sending; link_lost; request_abandoned */
  request<M extends Method>(method: M, payload: RequestPayload<M>, slots?: Slots): Promise<ResultPayload<M>>;
  /** Events in their order. Returns the way to stop. */
  onEvent(listener: (event: WireEvent) => void): () => void;
  /** Called once, also when the connection has ended already. Returns the way to stop. */
  onClose(listener: (reason: WireFailure) => void): () => void;
  close(): void;
  /** Ends the connection because of what was found in its events. */
  abort(reason: WireFailure): void;
}

/** Some services do this work for one client at a time: a read that meets another is asked again. */
const BUSY_SLOTS = ['auth_busy', 'configuration_busy'];

/**
 * @throws WireFailure endpoint_*, version_mismatch, preflight_refused, protocol_violation, or the code with which
 * the service refused `initialize`
 */
export async function openConnection(options: ConnectOptions): Promise<Connection> {
  const line = await greet(options);
  const channel = new Channel(line);
  try {
    const service = await withDeadline(
      channel.initialize(options.capabilities ?? []),
      options.timeoutMs ?? LIMITS.handshake_timeout_ms,
    );
    const refused = preflight(service, options.identity, options.version);
    if (refused !== null) throw localFailure('preflight_refused', refused);
    return channel.connect(service);
  } catch (error) {
    channel.abort(error instanceof WireFailure ? error : localFailure('unexpected'));
    throw error;
  }
}

/** The stream of records below a `Connection`, from the line after the handshake on. */
class Channel {
  readonly #line: LineSocket;
  readonly #requests = new Correlator({
    send: (request) => this.#write(request),
    silent: () => this.abort(localFailure('endpoint_silent')),
  });
  readonly #logins = new LoginOrder();
  readonly #eventListeners = new Set<(event: WireEvent) => void>();
  readonly #closeListeners = new Set<(reason: WireFailure) => void>();
  #ids: ConnectionIds = { instance_id: null, connection_id: null };
  #events: readonly string[] = [];
  #bounds: OutputBounds = LOCAL_BOUNDS;
  #ended: WireFailure | null = null;

  constructor(line: LineSocket) {
    this.#line = line;
    line.listen({ line: (bytes) => this.#record(bytes), end: (cause) => this.#end(cause) });
  }

  async initialize(capabilities: readonly string[]): Promise<InitializeResult> {
    try {
      const payload = {
        supported_protocol_versions: [PROTOCOL_VERSION],
        requested_capabilities: [...capabilities],
      };
      const result = await this.#requests.request('initialize', payload, {});
      if (result.instance_id !== this.#ids.instance_id || result.connection_id !== this.#ids.connection_id)
        throw violation('the identities of the connection contradict each other');
      return result;
    } catch (error) {
      // What ended the stream says more than that the request was lost.
      throw this.#ended ?? error;
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
        return OPERATIONS[method].mutation ? send() : whileBusy(send, BUSY_SLOTS, realPause);
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
    this.#line.write(encodeRecord({ ...request, ...this.#ids }));
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
