/** A session that this service holds: its controller, its turn, its place in the stream (PROTOCOL.md, "Claim"). */
import type { Lock } from '../../platform/lock.ts';
import type { Phase, Snapshot } from '../../wire/session.ts';
import type { EventRecord, Push } from '../endpoint/out-queue.ts';
import type { Questions } from '../permissions/questions.ts';
import type { SessionChoices } from '../profile/session-choices.ts';
import type { SessionWriter } from '../sessions/session-writer.ts';
import type { TurnRun } from '../turns/turn-run.ts';
import type { Operation } from './operation-table.ts';

/** Where events go: a connection, as far as actors need to know. */
export interface Recipient {
  readonly id: string;
  /** Whether it speaks the session profile. */
  readonly profile: boolean;
  event(record: EventRecord): Push;
  /** Resolves when the reader has caught up, or is gone; null when it has. */
  whenRoomy(): Promise<void> | null;
}

export interface Controller {
  readonly recipient: Recipient;
  readonly grantId: string;
  readonly generation: number;
}

export interface ActiveTurn {
  readonly turnId: string;
  readonly operation: Operation;
  /** Started by a connection with the session profile. */
  readonly profile: boolean;
  readonly questions: Questions;
  /** Null until the agent was asked, and for good when nothing could be saved. */
  run: TurnRun | null;
  /** Of the last event of this turn. */
  sequence: number;
  activityDropped: number;
}

export type Terminal = NonNullable<Snapshot['terminal']>;

export interface Actor {
  readonly sessionId: string;
  readonly writer: SessionWriter;
  readonly lease: Lock;
  controller: Controller | null;
  phase: Phase;
  liveSequence: number;
  turn: ActiveTurn | null;
  /** Outcome of the last turn, until the next one begins. */
  terminal: { readonly payload: Terminal; readonly settledAt: number } | null;
  /** A turn is being prepared; the phase is still idle. */
  preparing: boolean;
  /** What holds for this session instead of the settings, for clients with the session profile. */
  configuration: SessionChoices;
}
