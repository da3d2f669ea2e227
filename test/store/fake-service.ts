/** A service in memory that answers like the wire does: enough for one session and its turns. */
import type { Connection } from '../../src/client/connection.ts';
import type { Slots } from '../../src/client/correlator.ts';
import type { WireEvent } from '../../src/client/decode.ts';
import { localFailure, refusal, unanswered, type WireFailure } from '../../src/client/failure.ts';
import type { LookupResult } from '../../src/wire/operation.ts';
import type { AnyMethod, RequestPayload, ResultPayload } from '../../src/wire/operations.ts';
import type { ReplayEvent, Snapshot } from '../../src/wire/session.ts';
import {
  type EnvelopesRequest,
  type PlacedEnvelope,
  SESSION_PROTOCOL,
  type WireEnvelope,
} from '../../src/wire/session-protocol.ts';

export const SESSION = 'session-1';

type Answer = unknown;
type Handler = (payload: unknown, slots: Slots | undefined) => Answer | Promise<Answer>;

/** One life of a service: its instance, what it saved, and the connections to it. */
export class FakeService {
  readonly instanceId: string;
  saved: ReplayEvent[] = [];
  prompts: string[] = [];
  snapshot: Partial<Snapshot> = {};
  lookup: Partial<LookupResult> = { state: 'unknown' };
  authReady = true;
  /** Speaks the session profile. */
  enveloped = false;
  /** What the session holds, for the session profile. */
  envelopes: PlacedEnvelope[] = [];
  /** Replaces what a method does. */
  readonly handlers = new Map<AnyMethod, Handler>();
  readonly calls: AnyMethod[] = [];
  /** Of the turn that was started last. */
  operationId = 'operation-0';
  #listeners = new Set<(event: WireEvent) => void>();
  #closers = new Set<(reason: WireFailure) => void>();
  #generation = 0;
  #live = 0;
  #sequence = 0;

  constructor(instanceId: string) {
    this.instanceId = instanceId;
  }

  /** A connection as the client has it after its preflight. */
  connect(): Connection {
    const request = async <M extends AnyMethod>(
      method: M,
      payload: RequestPayload<M>,
      slots?: Slots,
    ): Promise<ResultPayload<M>> => {
      this.calls.push(method);
      await Promise.resolve();
      if (method === 'turn.start') this.operationId = slots?.operationId ?? '';
      const handler = this.handlers.get(method) ?? this.#standard(method);
      return (await handler(payload, slots)) as ResultPayload<M>;
    };
    return {
      service: {
        server_name: 'fake',
        server_version: '1',
        instance_id: this.instanceId,
        connection_id: 'connection-1',
        capabilities: {
          operations: ['config.get', 'config.set'],
          ...(this.enveloped ? { negotiated_capabilities: [SESSION_PROTOCOL] } : {}),
        },
      } as unknown as Connection['service'],
      request,
      onEvent: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      onClose: (listener) => {
        this.#closers.add(listener);
        return () => this.#closers.delete(listener);
      },
      abort: () => this.drop(),
      close: () => undefined,
    };
  }

  /** The link ends. */
  drop(): void {
    const closers = [...this.#closers];
    this.#closers.clear();
    this.#listeners.clear();
    for (const close of closers) close(localFailure('link_lost'));
  }

  /** Sends one event of the running turn. */
  send(event: WireEvent['event'], payload: Record<string, unknown>): void {
    this.#live += 1;
    const full = { turn_id: 'turn-1', sequence: this.#sequence, ...payload };
    this.#sequence += 1;
    const wire = {
      event,
      payload: full,
      sessionId: SESSION,
      operationId: this.operationId,
      generation: this.#generation,
      liveSequence: this.#live,
    } as unknown as WireEvent;
    for (const listener of [...this.#listeners]) listener(wire);
  }

  /** Sends one event of a sign-in to its initiator. */
  sendLogin(event: WireEvent['event'], operationId: string, payload: Record<string, unknown>): void {
    const slots = { sessionId: null, operationId, generation: null, liveSequence: null };
    for (const listener of [...this.#listeners])
      listener({ event, payload, ...slots } as unknown as WireEvent);
  }

  started(): void {
    this.#sequence = 0;
    this.send('turn.started', { session_id: SESSION, status: 'started' });
  }

  terminal(text: string, status: 'completed' | 'cancelled' | 'failed' = 'completed'): void {
    this.send('turn.terminal', {
      session_id: SESSION,
      status,
      assistant_text: text,
      activity_dropped: 0,
      activity_replay_available: false,
      replay_required: true,
      persistence: 'committed',
      error: null,
    });
  }

  /** Appends an envelope and sends it. */
  tell(envelope: WireEnvelope, turn: 'in-turn' | 'between' = 'in-turn'): void {
    const placed = { cursor: `e${this.envelopes.length + 1}`, envelope };
    this.envelopes.push(placed);
    if (turn === 'in-turn') this.send('session.envelope', placed);
    else this.send('session.envelope', { ...placed, turn_id: null, sequence: null });
  }

  /** Saves a whole turn as replay tells it. */
  save(question: string, answer: string): void {
    const at = this.saved.length;
    const part = { part: 0, last_part: true } as const;
    this.saved.push(
      { cursor: `c${at}a`, kind: 'message', role: 'user', text: question, ...part },
      { cursor: `c${at}b`, kind: 'message', role: 'assistant', text: answer, ...part },
      { cursor: `c${at}c`, kind: 'terminal', status: 'completed' },
    );
  }

  #standard(method: AnyMethod): Handler {
    switch (method) {
      case 'config.get':
        return () => CONFIG;
      case 'status':
        return () => ({ provider_auth_ready: this.authReady });
      case 'session.create':
        return () => ({ session_id: SESSION });
      case 'session.claim':
        return () => this.#claim();
      case 'session.detach':
        return () => ({ status: 'detached' });
      case 'session.replay':
        return (payload) => this.#replay((payload as { after?: string | null }).after ?? null);
      case 'session.envelopes':
        return (payload) => this.#page(payload as EnvelopesRequest);
      case 'turn.start':
        return (payload) => {
          this.prompts.push((payload as { prompt: string }).prompt);
          return { turn_id: 'turn-1', status: 'accepted' };
        };
      case 'turn.cancel':
        return () => ({ status: 'cancellation_requested' });
      case 'operation.lookup':
        return (payload) => ({
          ...(payload as object),
          method: 'turn.start',
          session_id: SESSION,
          result: null,
          error: null,
          ...this.lookup,
        });
      default:
        return () => {
          throw refusal({ code: 'unsupported_operation' });
        };
    }
  }

  #claim() {
    this.#generation += 1;
    const snapshot = {
      instance_id: this.instanceId,
      session_id: SESSION,
      live_sequence: this.#live,
      phase: this.snapshot.turn == null ? 'idle' : 'running',
      turn: null,
      terminal: null,
      activity_replay_available: false,
      ...this.snapshot,
    };
    return { grant_id: `grant-${this.#generation}`, generation: this.#generation, snapshot };
  }

  /** Pages of two. */
  #page({ after, before }: EnvelopesRequest) {
    const at = (cursor: string) => this.envelopes.findIndex((placed) => placed.cursor === cursor);
    const from = after == null ? 0 : at(after) + 1;
    const to = before == null ? this.envelopes.length : at(before);
    const page =
      after == null
        ? this.envelopes.slice(Math.max(0, to - 2), to)
        : this.envelopes.slice(from, Math.min(to, from + 2));
    const [first, last] = [page[0]?.cursor ?? null, page.at(-1)?.cursor ?? null];
    return {
      envelopes: page,
      first_cursor: first,
      last_cursor: last,
      has_earlier: first !== null && at(first) > 0,
      has_later: last !== null && at(last) < this.envelopes.length - 1,
      gap: false,
      resync_required: false,
    };
  }

  #replay(after: string | null) {
    const start = after === null ? 0 : this.saved.findIndex((event) => event.cursor === after) + 1;
    const events = this.saved.slice(start);
    const end = this.saved.at(-1)?.cursor ?? 'c0';
    return {
      events,
      next_cursor: end,
      snapshot_cursor: end,
      truncated: false,
      gap: false,
      resync_required: false,
    };
  }
}

const CONFIG = {
  selection: { provider_id: 'demo', model_id: 'demo-1' },
  thinking_level: 'default',
  configured_thinking_level: 'default',
  available_thinking_levels: ['default'],
  fast: false,
  precedence: ['environment', 'project', 'global'],
  writable_scopes: ['global', 'project'],
  global_only: ['fast'],
};

/** What a request gets when the link ends before its reply. */
export function replyLost(): WireFailure {
  return unanswered('link_lost', 'uncertain');
}
