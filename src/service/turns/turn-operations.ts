/** `turn.*` (PROTOCOL.md, "Turns"). The prompt's shape was checked on admission. */
import { LIMITS } from '../../wire/limits.ts';
import { turnCancelRequest, turnStartRequest } from '../../wire/turn.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Actors } from '../coordinator/actors.ts';
import { done, type MutationCall, type Reply, refuse } from '../coordinator/reply.ts';
import type { AttachmentStore } from '../profile/attachment-store.ts';
import { NO_CHOICES } from '../profile/session-choices.ts';
import type { Turns } from './turns.ts';

export class TurnOperations {
  readonly #actors: Actors;
  readonly #turns: Turns;
  readonly #configuration: Configuration;
  readonly #attachments: AttachmentStore;

  constructor(actors: Actors, turns: Turns, configuration: Configuration, attachments: AttachmentStore) {
    this.#actors = actors;
    this.#turns = turns;
    this.#configuration = configuration;
    this.#attachments = attachments;
  }

  async start(call: MutationCall): Promise<Reply> {
    const actor = this.#actors.controlled(call);
    if (actor === null) return refuse('stale_grant');
    const parsed = turnStartRequest.safeParse(call.request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { application, attachments = [], prompt } = parsed.data;
    const { profile } = call.connection;
    if (application !== undefined) return refuse('unsupported_capability');
    if (actor.phase !== 'idle' || actor.preparing) return refuse('session_busy');
    if (!actor.writer.isThere) return refuse('session_unavailable');
    if (this.#turns.count >= LIMITS.max_active_turns) return refuse('too_many_active_turns');
    const files = attachments.map(({ ref }) => this.#attachments.eventOf(ref));
    if (!files.every((file) => file !== null)) return refuse('resource_not_found');
    actor.preparing = true;
    const choices = profile ? actor.configuration : NO_CHOICES;
    const capture = await this.#configuration.capture(choices).finally(() => {
      actor.preparing = false;
    });
    if (!call.connection.open) return refuse('stale_connection');
    if (this.#actors.controlled(call) !== actor) return refuse('stale_grant');
    if (!capture.ok) return refuse(capture.code);
    const opening = { prompt, files, capture: capture.value, profile };
    const { launch, turnId } = this.#turns.accept(actor, call.operation, opening);
    const payload = { turn_id: turnId, status: 'accepted' };
    return { ok: true, payload, result: null, afterwards: launch };
  }

  cancel(call: MutationCall): Reply {
    const actor = this.#actors.controlled(call);
    if (actor === null) return refuse('stale_grant');
    const { turn } = actor;
    const parsed = turnCancelRequest.safeParse(call.request.payload);
    if (turn === null || actor.phase !== 'running') return refuse('unknown_turn');
    if (!parsed.success) return refuse(hasMore(call.request.payload) ? 'invalid_payload' : 'unknown_turn');
    if (parsed.data.turn_id !== turn.turnId) return refuse('unknown_turn');
    turn.run?.cancel();
    const { sessionId: session_id } = actor;
    return done({ turn_id: turn.turnId, session_id, status: 'cancellation_requested' });
  }
}

/** Anything but an object that names a turn, however badly: a bad name is an unknown turn. */
function hasMore(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return true;
  return Object.keys(payload).some((key) => key !== 'turn_id');
}
