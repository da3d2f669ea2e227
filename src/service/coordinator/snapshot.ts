/**
 * What a claim tells about the session (PROTOCOL.md, "Claim", "Session profile").
 * Invariants: a snapshot fits its bound; a client with the session profile learns from the envelopes and from
 * `pending` together everything that was said.
 */
import { encodedBytes } from '../../wire/json.ts';
import { LIMITS } from '../../wire/limits.ts';
import type { Snapshot } from '../../wire/session.ts';
import type { ActiveTurn, Actor } from './actor.ts';

export function snapshotOf(actor: Actor, instanceId: string, profile: boolean): Snapshot {
  const { liveSequence, phase, sessionId, turn } = actor;
  const head = {
    instance_id: instanceId,
    session_id: sessionId,
    live_sequence: liveSequence,
    phase,
    activity_replay_available: false as const,
  };
  if (turn === null) return { ...head, turn: null, terminal: terminalFor(actor, profile) };
  const running = runningTurn(turn);
  if (!profile) return { ...head, turn: running, terminal: null };
  const pending = turn.run?.pending ?? null;
  const whole: Snapshot = { ...head, turn: { ...running, pending }, terminal: null };
  if (encodedBytes(whole) <= LIMITS.max_snapshot_bytes) return whole;
  return { ...head, turn: { ...running, assistant_text: '', pending }, terminal: null };
}

/** A text that is too long for this record stands in the envelopes alone, which an ordinary client cannot read. */
function terminalFor({ terminal }: Actor, profile: boolean): Snapshot['terminal'] {
  if (terminal === null || (!profile && terminal.payload.text_in_envelopes === true)) return null;
  return terminal.payload;
}

function runningTurn(turn: ActiveTurn): NonNullable<Snapshot['turn']> {
  return {
    turn_id: turn.turnId,
    operation_id: turn.operation.id,
    assistant_text: turn.run?.text ?? '',
    sequence: turn.sequence,
    activity_dropped: turn.activityDropped,
    replay_required: false,
  };
}
