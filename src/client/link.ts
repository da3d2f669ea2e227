/**
 * Keeps one connection alive (PROTOCOL.md, "Handshake", "Turns").
 * Invariants: at most one connection or one attempt at a time; pauses grow until a connection has
 * held for a while; nothing happens after `close`.
 */
import type { Connection } from './connection.ts';
import { asFailure, type WireFailure } from './failure.ts';
import { jittered } from './pause.ts';

export type LinkStatus =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'ready'; readonly connection: Connection }
  /** Tries again by itself; `attempt` counts from 1 since the last connection that held. */
  | {
      readonly kind: 'lost';
      readonly reason: WireFailure;
      readonly attempt: number;
      readonly retryInMs: number;
    }
  /** Trying again would end the same way; `retryNow` tries nevertheless. */
  | { readonly kind: 'refused'; readonly failure: WireFailure };

/** Runs something later; the returned function takes that back. */
export type Schedule = (run: () => void, ms: number) => () => void;

export interface LinkOptions {
  readonly schedule?: Schedule;
  /** Pause in ms → pause with chance in it. */
  readonly jitter?: (ms: number) => number;
}

/** Pauses before the attempts after a loss, ms; the last one repeats. */
const PAUSES = [0, 100, 250, 500, 1_000, 2_000, 5_000] as const;
const LONGEST_PAUSE = 5_000;
/** A connection that held for so long counts as healthy: the pauses begin anew. */
const HEALTHY_MS = 2_000;
/** A service that breaks the protocol again at once, after so many attempts, will go on doing so. */
const VIOLATIONS_BORNE = 2;

/** Failures of an attempt that the next attempt would meet again. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'version_mismatch',
  'preflight_refused',
  'endpoint_unsafe',
  'endpoint_not_socket',
  'endpoint_path_too_long',
  'protocol_violation',
  'unsupported_version',
  'unsupported_capability',
]);

const realSchedule: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export class ServiceLink {
  readonly #dial: () => Promise<Connection>;
  readonly #schedule: Schedule;
  readonly #jitter: (ms: number) => number;
  readonly #listeners = new Set<(status: LinkStatus) => void>();
  #status: LinkStatus = { kind: 'connecting' };
  #attempt = 0;
  #cancelTimer: () => void = () => {};
  #closed = false;

  /** Dials at once. @param dial gives a fresh connection, or throws a WireFailure */
  constructor(dial: () => Promise<Connection>, options: LinkOptions = {}) {
    this.#dial = dial;
    this.#schedule = options.schedule ?? realSchedule;
    this.#jitter = options.jitter ?? jittered;
    void this.#connect();
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** The listener hears the present status at once and then every change. Returns the way to stop. */
  subscribe(listener: (status: LinkStatus) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#status);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the pause, or tries again after a refusal. Does nothing while connecting or ready. */
  retryNow(): void {
    if (this.#closed || this.#status.kind === 'connecting' || this.#status.kind === 'ready') return;
    this.#redial();
  }

  /** Ends the connection and all attempts. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer();
    this.#listeners.clear();
    if (this.#status.kind === 'ready') this.#status.connection.close();
  }

  #redial(): void {
    this.#cancelTimer();
    this.#tell({ kind: 'connecting' });
    void this.#connect();
  }

  async #connect(): Promise<void> {
    try {
      const connection = await this.#dial();
      if (this.#closed) connection.close();
      else this.#hold(connection);
    } catch (error) {
      if (this.#closed) return;
      const failure = asFailure(error);
      if (FINAL_CODES.has(failure.code)) this.#tell({ kind: 'refused', failure });
      else this.#lose(failure);
    }
  }

  #hold(connection: Connection): void {
    this.#cancelTimer = this.#schedule(() => {
      this.#attempt = 0;
    }, HEALTHY_MS);
    connection.onClose((reason) => {
      this.#cancelTimer();
      if (!this.#closed) this.#lose(reason);
    });
    this.#tell({ kind: 'ready', connection });
  }

  #lose(reason: WireFailure): void {
    if (reason.code === 'protocol_violation' && this.#attempt >= VIOLATIONS_BORNE) {
      this.#tell({ kind: 'refused', failure: reason });
      return;
    }
    const pause = PAUSES[this.#attempt] ?? LONGEST_PAUSE;
    const retryInMs = pause === 0 ? 0 : this.#jitter(pause);
    this.#attempt += 1;
    this.#cancelTimer = this.#schedule(() => this.#redial(), retryInMs);
    this.#tell({ kind: 'lost', reason, attempt: this.#attempt, retryInMs });
  }

  #tell(status: LinkStatus): void {
    this.#status = status;
    for (const listener of [...this.#listeners]) listener(status);
  }
}
