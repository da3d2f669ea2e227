/**
 * The daemon-wide table of mutations (PROTOCOL.md, "Operations and lookup").
 * Invariants: one entry per operation ID; an entry settles once; neither prompts nor texts are kept,
 * only a digest keyed by a secret of this process. Settled entries answer for ten minutes, then stand as
 * tombstones for ten more, then are forgotten.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type ErrorCode, errorOf } from '../../wire/errors.ts';
import type { Json } from '../../wire/json.ts';
import type { AnyMethod } from '../../wire/operations.ts';
import { SERVICE_LIMITS } from '../bounds.ts';
import type { Clock } from '../clock.ts';
import { canonicalJson } from './canonical-json.ts';

export interface Intent {
  readonly method: AnyMethod;
  readonly sessionId: string | null;
  readonly payload: Json;
}

export type Result = Readonly<Record<string, Json>>;

type State =
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'accepted'; readonly result: Result | null }
  | { readonly kind: 'rejected'; readonly code: ErrorCode }
  | { readonly kind: 'terminal'; readonly result: Result; readonly code: ErrorCode | null };

interface Entry {
  readonly digest: string;
  readonly method: AnyMethod;
  readonly sessionId: string | null;
  state: State;
  /** On the clock that never jumps, ms; null until settled. */
  settledAt: number | null;
}

/** A reserved operation, in the hands of whoever carries it out. */
export interface Operation {
  readonly id: string;
  accept(result: Result | null): void;
  reject(code: ErrorCode): void;
  finish(result: Result, code: ErrorCode | null): void;
}

export type Reservation =
  | { readonly ok: true; readonly operation: Operation }
  | { readonly ok: false; readonly code: ErrorCode };

export class OperationTable {
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #key = randomBytes(32);
  readonly #entries = new Map<string, Entry>();

  /** @param changed is told whenever an entry settles */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Entries that are not settled. */
  get unsettled(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.settledAt === null) count += 1;
    return count;
  }

  reserve(id: string, intent: Intent): Reservation {
    const digest = this.#digest(intent);
    const known = this.#find(id);
    if (known !== null) return { ok: false, code: this.#refusal(known, digest) };
    if (this.#entries.size >= SERVICE_LIMITS.max_operation_entries) this.#forgetExpired();
    if (this.#entries.size >= SERVICE_LIMITS.max_operation_entries)
      return { ok: false, code: 'operation_capacity' };
    const { method, sessionId } = intent;
    const entry: Entry = { digest, method, sessionId, state: { kind: 'in_progress' }, settledAt: null };
    this.#entries.set(id, entry);
    return { ok: true, operation: this.#handle(id, entry) };
  }

  /** The payload of `operation.lookup` for an ID of this instance. */
  lookup(id: string): Result {
    const entry = this.#find(id);
    if (entry === null) return UNKNOWN;
    if (this.#isTombstone(entry)) return outcome('expired');
    const { method, sessionId: session_id, state } = entry;
    const about = { state: state.kind, method, session_id };
    switch (state.kind) {
      case 'in_progress':
        return { ...about, result: null, error: null };
      case 'accepted':
        return { ...about, result: state.result, error: null };
      case 'rejected':
        return { ...about, result: null, error: errorOf(state.code) };
      case 'terminal':
        return { ...about, result: state.result, error: state.code === null ? null : errorOf(state.code) };
    }
  }

  #handle(id: string, entry: Entry): Operation {
    const settle = (state: State): void => {
      if (entry.settledAt !== null) return;
      entry.state = state;
      entry.settledAt = this.#clock.elapsed();
      this.#changed();
    };
    return {
      id,
      accept: (result) => {
        if (entry.settledAt === null) entry.state = { kind: 'accepted', result };
      },
      reject: (code) => settle({ kind: 'rejected', code }),
      finish: (result, code) => settle({ kind: 'terminal', result, code }),
    };
  }

  #digest(intent: Intent): string {
    const { method, sessionId, payload } = intent;
    return createHmac('sha256', this.#key)
      .update(canonicalJson([method, sessionId, payload]))
      .digest('base64');
  }

  #refusal(entry: Entry, digest: string): ErrorCode {
    if (this.#isTombstone(entry)) return 'operation_expired';
    return entry.digest === digest ? 'operation_already_known' : 'operation_identity_mismatch';
  }

  #find(id: string): Entry | null {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    if (!this.#isForgotten(entry)) return entry;
    this.#entries.delete(id);
    return null;
  }

  #age(entry: Entry): number {
    return entry.settledAt === null ? -1 : this.#clock.elapsed() - entry.settledAt;
  }

  #isTombstone(entry: Entry): boolean {
    return this.#age(entry) >= SERVICE_LIMITS.operation_retention_ms;
  }

  #isForgotten(entry: Entry): boolean {
    const { operation_retention_ms, operation_tombstone_ms } = SERVICE_LIMITS;
    return this.#age(entry) >= operation_retention_ms + operation_tombstone_ms;
  }

  #forgetExpired(): void {
    for (const [id, entry] of this.#entries) if (this.#isForgotten(entry)) this.#entries.delete(id);
  }
}

/** What is told about an operation of another instance, too. */
export const UNKNOWN: Result = outcome('unknown');

function outcome(state: 'unknown' | 'expired'): Result {
  return { state, method: null, session_id: null, result: null, error: null };
}
