/**
 * All sessions that this service holds (PROTOCOL.md, "Claim").
 * Invariants: at most one controller per session; `generation` grows with every claim and every revocation,
 * for all sessions together; a session that is neither controlled nor at work is let go at once, with its lease.
 */
import { randomUUID } from 'node:crypto';
import type { Envelope } from '../../transcript/envelope.ts';
import type { Control, RequestEnvelope } from '../../wire/envelope.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import type { EventName, PROFILE_EVENTS } from '../../wire/operations.ts';
import type { ClaimResult, Phase } from '../../wire/session.ts';
import { SERVICE_LIMITS } from '../bounds.ts';
import type { Clock } from '../clock.ts';
import type { Push } from '../endpoint/out-queue.ts';
import { controlEnvelope } from '../profile/control-envelope.ts';
import { wireEnvelopeOf } from '../profile/envelope-bounds.ts';
import type { SessionRollups } from '../profile/session-rollup.ts';
import { isSessionId, type SessionFolder } from '../sessions/session-folder.ts';
import { SessionWriter } from '../sessions/session-writer.ts';
import type { ActiveTurn, Actor, Recipient, Terminal } from './actor.ts';
import { snapshotOf } from './snapshot.ts';

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

export interface ActorsOptions {
  readonly instanceId: string;
  readonly folder: SessionFolder;
  readonly rollups: SessionRollups;
  readonly clock: Clock;
  /** Is told whenever a session is let go. */
  readonly released: () => void;
}

export class Actors {
  readonly #options: ActorsOptions;
  readonly #actors = new Map<string, Actor>();
  /** Last outcomes of sessions that were let go. */
  readonly #retained = new Map<string, Retained>();
  #generation = 0;

  constructor(options: ActorsOptions) {
    this.#options = options;
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
    // Such a turn neither fits an ordinary snapshot nor an ordinary terminal: its end has to be awaited.
    if (!recipient.profile && actor.turn?.run?.isLong === true) return { ok: false, code: 'session_busy' };
    // Before control is given: it is read as history, nothing is sent.
    if (recipient.profile)
      actor.writer.append(controlEnvelope('cli', this.#options.clock.now(), recipient.id));
    this.#generation += 1;
    const grant = { grantId: randomUUID(), generation: this.#generation };
    actor.controller = { recipient, ...grant };
    const { grantId: grant_id, generation } = grant;
    const snapshot = snapshotOf(actor, this.#options.instanceId, recipient.profile);
    return { ok: true, result: { grant_id, generation, snapshot } };
  }

  #open(sessionId: string): Actor | ErrorCode {
    const { clock, folder, rollups } = this.#options;
    if (!folder.exists(sessionId)) return 'session_unavailable';
    if (this.#actors.size >= SERVICE_LIMITS.max_session_attachments) return 'limit_exceeded';
    const lease = folder.lease(sessionId);
    if (lease.kind !== 'held') return lease.kind === 'busy' ? 'session_busy' : 'session_unavailable';
    const writer = SessionWriter.open(folder.path(sessionId), sessionId, clock.now());
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
      configuration: rollups.of(sessionId).choices,
    };
    writer.listen((envelope, cursor) => this.#tell(actor, envelope, cursor));
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

  /** The same for the slots of a request. */
  controlled({ connection, request }: { connection: Recipient; request: RequestEnvelope }): Actor | null {
    const { control, session_id } = request;
    return control === null ? null : this.authorise(connection, session_id ?? '', control);
  }

  /** Takes control away. Work goes on; without any, the session is let go. */
  revoke(actor: Actor): void {
    if (actor.controller === null) return;
    const { recipient } = actor.controller;
    actor.controller = null;
    this.#generation += 1;
    if (recipient.profile) actor.writer.append(controlEnvelope('daemon', this.#options.clock.now()));
    this.releaseIdle(actor);
  }

  disconnect(recipient: Recipient): void {
    for (const actor of this.all()) if (actor.controller?.recipient.id === recipient.id) this.revoke(actor);
  }

  /** Sends the next event of the actor's turn; counts activity that nobody received. */
  emit(actor: Actor, turn: ActiveTurn, event: EventName, payload: object): void {
    const push = this.#send(actor, turn.operation.id, event, payload);
    if (push !== 'queued' && event === 'turn.activity') turn.activityDropped += 1;
  }

  /** An envelope is in the file: the controller hears of it, when it can. It counts as an event for nobody else. */
  #tell(actor: Actor, envelope: Envelope, cursor: string): void {
    const { controller, turn } = actor;
    const fitting = controller?.recipient.profile === true ? wireEnvelopeOf(envelope) : null;
    if (fitting === null) return;
    if (turn !== null) turn.sequence += 1;
    const place = { turn_id: turn?.turnId ?? null, sequence: turn?.sequence ?? null };
    const payload = { ...place, cursor, envelope: fitting.envelope };
    this.#send(actor, turn?.operation.id ?? null, 'session.envelope', payload);
  }

  #send(
    actor: Actor,
    operationId: string | null,
    event: EventName | keyof typeof PROFILE_EVENTS,
    payload: object,
  ): Push | undefined {
    actor.liveSequence += 1;
    const { controller } = actor;
    return controller?.recipient.event({
      protocol_version: 2,
      kind: 'event',
      instance_id: this.#options.instanceId,
      connection_id: controller.recipient.id,
      event_id: randomUUID(),
      session_id: actor.sessionId,
      operation_id: operationId,
      grant_generation: controller.generation,
      live_sequence: actor.liveSequence,
      event,
      payload,
    });
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
    this.#options.released();
  }

  #recall(sessionId: string): Retained | null {
    this.#forgetExpired();
    const retained = this.#retained.get(sessionId) ?? null;
    this.#retained.delete(sessionId);
    return retained;
  }

  #forgetExpired(): void {
    const limit = this.#options.clock.elapsed() - SERVICE_LIMITS.operation_retention_ms;
    for (const [id, { terminal }] of this.#retained)
      if (terminal.settledAt <= limit) this.#retained.delete(id);
  }
}
