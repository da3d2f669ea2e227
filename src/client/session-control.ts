/**
 * Control over one session and the order of its turn events (PROTOCOL.md, "Claim", "Turns").
 * Invariants: only events of this grant are heard; positions strictly increase, gaps are counted; a turn
 * has one start, which may lie before the claim, and nothing after its terminal. Anything else ends the connection.
 */
import type { Activity } from '../wire/activity.ts';
import type { Control } from '../wire/envelope.ts';
import type { RequestPayload } from '../wire/operations.ts';
import type { Snapshot } from '../wire/session.ts';
import type {
  ConfigureRequest,
  Decision,
  SessionConfiguration,
  WireEnvelope,
} from '../wire/session-protocol.ts';
import type { TurnAssistantDelta, TurnTerminal } from '../wire/turn.ts';
import type { Connection } from './connection.ts';
import type { SessionWireEvent, TurnWireEvent, WireEvent } from './decode.ts';
import { violation, type WireFailure } from './failure.ts';
import { TurnOrder } from './turn-order.ts';

interface TurnEventHead {
  readonly turnId: string;
  /** The `turn.start` that began it. */
  readonly operationId: string;
  readonly sequence: number;
  /** Positions that were passed over: activity that was left out, or deltas that came joined in this one. Never lost text. */
  readonly dropped: number;
}

export type TurnEvent = TurnEventHead &
  (
    | { readonly type: 'started' }
    | {
        readonly type: 'delta';
        readonly text: string;
        /** Session profile: where the text belongs; null on ordinary connections. */
        readonly piece: Piece | null;
      }
    | { readonly type: 'activity'; readonly activity: Activity }
    | { readonly type: 'terminal'; readonly terminal: TurnTerminal }
  );

/** The envelope that a delta is a part of (PROTOCOL.md, "Session profile"). */
export interface Piece {
  readonly envelopeId: string;
  readonly thinking: boolean;
  /** Who said it; null for the agent itself. */
  readonly subagent: string | null;
}

/** An envelope of the session, inside a turn or between two. */
export interface EnvelopeEvent {
  readonly type: 'envelope';
  readonly cursor: string;
  readonly envelope: WireEnvelope;
}

export type ControlEvent = TurnEvent | EnvelopeEvent;

export interface ControlledSession {
  readonly sessionId: string;
  readonly grant: Control;
  /** The state at the claim: later events continue exactly from it. */
  readonly snapshot: Snapshot;
  /** Events of turns in their order, until detach or the end of the connection. Returns the way to stop. */
  onEvent(listener: (event: ControlEvent) => void): () => void;
  /** Resolves to the turn ID once the service has accepted. @throws WireFailure */
  startTurn(prompt: string, operationId: string, files?: readonly string[]): Promise<string>;
  /** Session profile: the service takes a copy of a file; resolves to the reference for `startTurn`. @throws WireFailure */
  attachFile(path: string): Promise<string>;
  /** Asks for a stop; the terminal says how it ended. @throws WireFailure, `unknown_turn` when it is over already */
  cancelTurn(turnId: string): Promise<void>;
  /** Session profile: puts words to the running turn. @throws WireFailure, `unknown_turn` when it is over already */
  steer(turnId: string, text: string): Promise<void>;
  /** Session profile: answers a question. @throws WireFailure, `unknown_turn` when nothing waits for it any more */
  answer(turnId: string, call: string, decision: Decision): Promise<void>;
  /** Session profile: changes what holds for this session. @throws WireFailure */
  configure(change: ConfigureRequest): Promise<SessionConfiguration>;
  /** Gives control back; a running turn goes on. @throws WireFailure */
  detach(): Promise<void>;
}

/** @throws WireFailure session_controlled, session_busy, session_unavailable, limit_exceeded, link_lost and others */
export async function claimSession(connection: Connection, sessionId: string): Promise<ControlledSession> {
  const { snapshot, ...grant } = await connection.request('session.claim', {}, { sessionId });
  return new Controlled(connection, grant, snapshot);
}

class Controlled implements ControlledSession {
  readonly sessionId: string;
  readonly grant: Control;
  readonly snapshot: Snapshot;
  readonly #connection: Connection;
  readonly #order: TurnOrder;
  readonly #listeners = new Set<(event: ControlEvent) => void>();
  readonly #stop: () => void;

  constructor(connection: Connection, grant: Control, snapshot: Snapshot) {
    this.sessionId = snapshot.session_id;
    this.grant = grant;
    this.snapshot = snapshot;
    this.#connection = connection;
    this.#order = new TurnOrder(snapshot);
    this.#stop = connection.onEvent((event) => this.#hear(event));
  }

  onEvent(listener: (event: ControlEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async startTurn(prompt: string, operationId: string, files: readonly string[] = []): Promise<string> {
    this.#order.ask(operationId);
    const attachments = files.map((ref) => ({ ref }));
    const payload = attachments.length === 0 ? { prompt } : { prompt, attachments };
    const turnId = await this.#requestTurn(payload, operationId);
    const wrong = this.#order.accept(operationId, turnId);
    if (wrong !== null) throw this.#violate(wrong);
    return turnId;
  }

  async attachFile(path: string): Promise<string> {
    return (await this.#connection.request('session.attach_file', { path }, this.#slots())).ref;
  }

  async cancelTurn(turnId: string): Promise<void> {
    await this.#connection.request('turn.cancel', { turn_id: turnId }, this.#slots());
  }

  async steer(turnId: string, text: string): Promise<void> {
    await this.#connection.request('turn.steer', { turn_id: turnId, text }, this.#slots());
  }

  async answer(turnId: string, call: string, decision: Decision): Promise<void> {
    const payload = { turn_id: turnId, call, decision };
    await this.#connection.request('turn.permission_response', payload, this.#slots());
  }

  async configure(change: ConfigureRequest): Promise<SessionConfiguration> {
    return (await this.#connection.request('session.configure', change, this.#slots())).effective;
  }

  async detach(): Promise<void> {
    await this.#connection.request('session.detach', {}, this.#slots());
    this.#stop();
    this.#listeners.clear();
  }

  async #requestTurn(payload: RequestPayload<'turn.start'>, operationId: string): Promise<string> {
    try {
      const slots = { ...this.#slots(), operationId };
      return (await this.#connection.request('turn.start', payload, slots)).turn_id;
    } catch (error) {
      this.#order.forget(operationId);
      throw error;
    }
  }

  #violate(detail: string): WireFailure {
    const failure = violation(detail);
    this.#connection.abort(failure);
    return failure;
  }

  #slots(): { sessionId: string; control: Control } {
    return { sessionId: this.sessionId, control: this.grant };
  }

  #hear(event: WireEvent): void {
    if (event.sessionId === null) return;
    if (event.sessionId !== this.sessionId || event.generation !== this.grant.generation) return;
    const placed = this.#order.place(event);
    if (typeof placed === 'string') {
      this.#violate(placed);
      return;
    }
    const heard = event.event === 'session.envelope' ? envelopeOf(event) : turnEventOf(event, placed.dropped);
    for (const listener of [...this.#listeners]) listener(heard);
  }
}

function envelopeOf({ payload: { cursor, envelope } }: SessionWireEvent): EnvelopeEvent {
  return { type: 'envelope', cursor, envelope };
}

function pieceOf({ envelope_id, subagent, thinking }: TurnAssistantDelta): Piece | null {
  if (envelope_id === undefined) return null;
  return { envelopeId: envelope_id, thinking: thinking === true, subagent: subagent ?? null };
}

function turnEventOf(event: TurnWireEvent, dropped: number): TurnEvent {
  const { turn_id: turnId, sequence } = event.payload;
  const head = { turnId, sequence, dropped, operationId: event.operationId };
  switch (event.event) {
    case 'turn.started':
      return { ...head, type: 'started' };
    case 'turn.assistant_delta':
      return { ...head, type: 'delta', text: event.payload.text, piece: pieceOf(event.payload) };
    case 'turn.activity':
      return { ...head, type: 'activity', activity: event.payload.activity };
    case 'turn.terminal':
      return { ...head, type: 'terminal', terminal: event.payload };
  }
}
