/**
 * What the controller of a session does with it: `session.configure`, `session.attach_file`, `turn.steer`,
 * `turn.permission_response` (PROTOCOL.md, "Session profile").
 */
import { envelopeId, type SessionEvent } from '../../transcript/envelope.ts';
import { thinkingLevel } from '../../wire/catalog.ts';
import {
  attachFileRequest,
  type ConfigureRequest,
  configureRequest,
  permissionResponseRequest,
  type SessionConfiguration,
  steerRequest,
} from '../../wire/session-protocol.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Actor } from '../coordinator/actor.ts';
import type { Actors } from '../coordinator/actors.ts';
import { done, fail, type MutationCall, type Reply, refuse } from '../coordinator/reply.ts';
import type { AttachmentStore } from './attachment-store.ts';
import { fitsText, TEXT_BOUNDS } from './envelope-bounds.ts';
import { type SessionChoices, withChange } from './session-choices.ts';

export interface LiveOptions {
  readonly actors: Actors;
  readonly attachments: AttachmentStore;
  readonly configuration: Configuration;
  /** What would confine commands on this machine; null when nothing can. */
  readonly sandboxKind: () => string | null;
  readonly clock: Clock;
}

export class LiveOperations {
  readonly #options: LiveOptions;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  async configure(call: MutationCall): Promise<Reply> {
    const { actors, clock, configuration, sandboxKind } = this.#options;
    const actor = actors.controlled(call);
    if (actor === null) return refuse('stale_grant');
    const parsed = configureRequest.safeParse(call.request.payload);
    if (!parsed.success || Object.keys(parsed.data).length === 0) return refuse('invalid_payload');
    const wish = parsed.data;
    if (wish.sandbox === true && sandboxKind() === null) return refuse('unsupported_capability');
    const level = thinkingLevel.optional().safeParse(wish.thinking_level);
    if (!level.success) return refuse('unsupported_reasoning');
    call.operation.accept(null);
    const { selection } = wish;
    const refusal = await configuration.check({ selection, thinking_level: level.data }, actor.configuration);
    if (refusal !== null) return fail(refusal);
    if (actors.controlled(call) !== actor) return fail('stale_grant');
    const ev = changeOf(wish);
    const envelope = { id: envelopeId(), time: clock.now(), role: 'user', ev } as const;
    if (!actor.writer.append(envelope)) return fail('persistence_failed');
    actor.configuration = withChange(actor.configuration, ev);
    const effective = await this.#effective(actor.configuration);
    return effective === null ? fail('configuration_unavailable') : done({ effective });
  }

  attach(call: MutationCall): Reply {
    const { actors, attachments } = this.#options;
    if (actors.controlled(call) === null) return refuse('stale_grant');
    const parsed = attachFileRequest.safeParse(call.request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const attached = attachments.attach(parsed.data.path);
    return attached.ok ? done(attached.stored) : refuse(attached.code);
  }

  steer(call: MutationCall): Reply {
    const actor = this.#options.actors.controlled(call);
    if (actor === null) return refuse('stale_grant');
    const parsed = steerRequest.safeParse(call.request.payload);
    if (!parsed.success || parsed.data.text.trim() === '') return refuse('invalid_payload');
    const { text, turn_id } = parsed.data;
    if (!fitsText(text, TEXT_BOUNDS)) return refuse('limit_exceeded');
    const envelope_id = runOf(actor, turn_id)?.run?.steer(text) ?? null;
    return envelope_id === null ? refuse('unknown_turn') : done({ turn_id, envelope_id, status: 'accepted' });
  }

  respond(call: MutationCall): Reply {
    const actor = this.#options.actors.controlled(call);
    if (actor === null) return refuse('stale_grant');
    const parsed = permissionResponseRequest.safeParse(call.request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { call: tool, decision, turn_id } = parsed.data;
    const isAnswered = runOf(actor, turn_id)?.questions.answer(tool, decision) ?? false;
    return isAnswered ? done({ call: tool, status: 'accepted' }) : refuse('unknown_turn');
  }

  async #effective(choices: SessionChoices): Promise<SessionConfiguration | null> {
    const { configuration, sandboxKind } = this.#options;
    const settings = configuration.read();
    if (settings === null) return null;
    const { selection, thinking_level } = await configuration.project(settings, choices);
    const { permissionMode: permission_mode, sandbox } = choices;
    return { permission_mode, selection, thinking_level, sandbox, sandbox_kind: sandboxKind() };
  }
}

function runOf({ phase, turn }: Actor, turnId: string): Actor['turn'] {
  return phase === 'running' && turn?.turnId === turnId ? turn : null;
}

type Change = Extract<SessionEvent, { t: 'agent-configuration-changed' }>;

/** Only what changes. Another model begins with its default level, as everywhere. */
function changeOf({ permission_mode, sandbox, selection, thinking_level }: ConfigureRequest): Change {
  const level = thinking_level ?? (selection === undefined ? undefined : 'default');
  return {
    t: 'agent-configuration-changed',
    ...(permission_mode === undefined ? {} : { permissionMode: permission_mode }),
    ...(selection === undefined ? {} : { model: selection.model_id, provider: selection.provider_id }),
    ...(level === undefined ? {} : { thinkingLevel: level }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}
