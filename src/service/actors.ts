/**
 * All sessions that this service holds (PROTOCOL.md, "Claim").
 * Invariants: at most one controller per session; `generation` grows with every claim and every revocation,
 * for all sessions together; a session that is neither controlled nor at work is let go at once, with its lease.
 */
import { randomUUID } from 'node:crypto';
import type { Control } from '../wire/envelope.ts';
import type { ErrorCode } from '../wire/errors.ts';
import type { EventName } from '../wire/operations.ts';
import type { ClaimResult, Phase, Snapshot } from '../wire/session.ts';
import type { ActiveTurn, Actor, Recipient, Terminal } from './actor.ts';
import { SERVICE_LIMITS } from './bounds.ts';
import type { Clock } from './clock.ts';
import { isSessionId, type SessionFolder } from './session-folder.ts';
import { SessionWriter } from './session-writer.ts';

export type Claim =
  | { readonly ok: true; readonly result: ClaimResult }
  | { readonly ok: false; readonly code: ErrorCode };

interface Retained {
  readonly terminal: { readonly payload: Terminal; readonly settledAt: number };
  readonly liveSequence: number;
}

export interface ActiveSession {
  readonly session_id: string;
  readonly controlled: boolean;
  readonly phase: Phase;
  readonly turn_id: string | null;
}

export class Actors {
  readonly #instanceId: string;
  readonly #folder: SessionFolder;
  readonly #clock: Clock;
  readonly #released: () => void;
  readonly #actors = new Map<string, Actor>();
  /** Last outcomes of sessions that were let go. */
  readonly #retained = new Map<string, Retained>();
  #generation = 0;

  /** @param released is told whenever a session is let go */
  constructor(instanceId: string, folder: SessionFolder, clock: Clock, released: () => void) {
    this.#instanceId = instanceId;
    this.#folder = folder;
    this.#clock = clock;
    this.#released = released;
  }

  get size(): number {
    return this.#actors.size;
  }

  find(sessionId: string): Actor | null {
    return this.#actors.get(sessionId) ?? null;
  }

  all(): Actor[] {
    return [...this.#actors.values()];
  }

  active(): ActiveSession[] {
    return this.all()
      .map((actor) => ({
        session_id: actor.sessionId,
        controlled: actor.controller !== null,
        phase: actor.phase,
        turn_id: actor.turn?.turnId ?? null,
      }))
      .sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  }

  claim(recipient: Recipient, sessionId: string): Claim {
    if (!isSessionId(sessionId)) return { ok: false, code: 'invalid_session_id' };
    const actor = this.find(sessionId) ?? this.#open(sessionId);
    if (typeof actor === 'string') return { ok: false, code: actor };
    if (actor.controller !== null) return { ok: false, code: 'session_controlled' };
    this.#generation += 1;
    const grant = { grantId: randomUUID(), generation: this.#generation };
    actor.controller = { recipient, ...grant };
    const { grantId: grant_id, generation } = grant;
    return { ok: true, result: { grant_id, generation, snapshot: this.#snapshot(actor) } };
  }

  #open(sessionId: string): Actor | ErrorCode {
    if (!this.#folder.exists(sessionId)) return 'session_unavailable';
    if (this.#actors.size >= SERVICE_LIMITS.max_session_attachments) return 'limit_exceeded';
    const lease = this.#folder.lease(sessionId);
    if (lease.kind !== 'held') return lease.kind === 'busy' ? 'session_busy' : 'session_unavailable';
    const writer = SessionWriter.open(this.#folder.path(sessionId), sessionId, this.#clock.now());
    if (writer === null) {
      lease.lock.release();
      return 'session_unavailable';
    }
    const retained = this.#recall(sessionId);
    const actor: Actor = {
      sessionId,
      writer,
      lease: lease.lock,
      controller: null,
      phase: 'idle',
      liveSequence: retained?.liveSequence ?? 0,
      turn: null,
      terminal: retained?.terminal ?? null,
      preparing: false,
    };
    this.#actors.set(sessionId, actor);
    return actor;
  }

  /** The actor when `control` is the current control of that very connection. */
  authorise(recipient: Recipient, sessionId: string, control: Control): Actor | null {
    const actor = this.find(sessionId);
    const controller = actor?.controller;
    if (actor === null || controller === null || controller === undefined) return null;
    const { generation, grantId } = controller;
    const isCurrent = grantId === control.grant_id && generation === control.generation;
    return isCurrent && controller.recipient.id === recipient.id ? actor : null;
  }

  /** Takes control away. Work goes on; without any, the session is let go. */
  revoke(actor: Actor): void {
    if (actor.controller === null) return;
    actor.controller = null;
    this.#generation += 1;
    this.releaseIdle(actor);
  }

  disconnect(recipient: Recipient): void {
    for (const actor of this.all()) if (actor.controller?.recipient.id === recipient.id) this.revoke(actor);
  }

  /** Sends the next event of the actor's turn; counts activity that nobody received. */
  emit(actor: Actor, turn: ActiveTurn, event: EventName, payload: object): void {
    actor.liveSequence += 1;
    const { controller } = actor;
    const push = controller?.recipient.event({
      protocol_version: 2,
      kind: 'event',
      instance_id: this.#instanceId,
      connection_id: controller.recipient.id,
      event_id: randomUUID(),
      session_id: actor.sessionId,
      operation_id: turn.operation.id,
      grant_generation: controller.generation,
      live_sequence: actor.liveSequence,
      event,
      payload,
    });
    if (push !== 'queued' && event === 'turn.activity') turn.activityDropped += 1;
  }

  /** Lets a session go that nobody controls and that does nothing. */
  releaseIdle(actor: Actor): void {
    if (actor.controller !== null || actor.phase !== 'idle') return;
    this.#actors.delete(actor.sessionId);
    const { liveSequence, terminal } = actor;
    if (terminal !== null) this.#retained.set(actor.sessionId, { terminal, liveSequence });
    this.#forgetExpired();
    actor.writer.close();
    actor.lease.release();
    this.#released();
  }

  #snapshot(actor: Actor): Snapshot {
    const { liveSequence, phase, sessionId, terminal, turn } = actor;
    const head = {
      instance_id: this.#instanceId,
      session_id: sessionId,
      live_sequence: liveSequence,
      phase,
      activity_replay_available: false as const,
    };
    if (turn === null) return { ...head, turn: null, terminal: terminal?.payload ?? null };
    const running = {
      turn_id: turn.turnId,
      operation_id: turn.operation.id,
      assistant_text: turn.run?.text ?? '',
      sequence: turn.sequence,
      activity_dropped: turn.activityDropped,
      replay_required: false as const,
    };
    return { ...head, turn: running, terminal: null };
  }

  #recall(sessionId: string): Retained | null {
    this.#forgetExpired();
    const retained = this.#retained.get(sessionId) ?? null;
    this.#retained.delete(sessionId);
    return retained;
  }

  #forgetExpired(): void {
    const limit = this.#clock.now() - SERVICE_LIMITS.operation_retention_ms;
    for (const [id, { terminal }] of this.#retained)
      if (terminal.settledAt <= limit) this.#retained.delete(id);
  }
}
