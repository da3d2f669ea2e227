/**
 * What was chosen for the open session alone: model, thinking, what the agent may do unasked (PROTOCOL.md,
 * "Session profile"). The stream of the session is its home; what nobody chose follows the settings.
 * Invariants: what is shown is what the service says or was told; a level that the model lacks is never shown as
 * if it held.
 */
import { type AnyEnvelope, isKnown, type SessionEvent } from '../transcript/envelope.ts';
import type { ThinkingLevel } from '../wire/catalog.ts';
import { thinkingLevel } from '../wire/catalog.ts';
import type { ConfigProjection, Selection } from '../wire/config.ts';
import type { SessionAbout } from '../wire/session.ts';
import type { ConfigureRequest, PermissionMode, SessionConfiguration } from '../wire/session-protocol.ts';

export interface SessionChoices {
  readonly permissionMode: PermissionMode;
  /** Null: as the settings say. */
  readonly selection: Selection | null;
  /** Null: as the settings say. */
  readonly thinkingLevel: string | null;
  readonly sandbox: boolean;
  /** What the service said holds, until something else is told. */
  readonly effective: SessionConfiguration | null;
  /** Chosen before there was a session; the service hears of it with the first message. */
  readonly pending: ConfigureRequest | null;
}

export const NO_CHOICES: SessionChoices = {
  permissionMode: 'default',
  selection: null,
  thinkingLevel: null,
  sandbox: false,
  effective: null,
  pending: null,
};

/** As a list of sessions tells them. */
export function choicesOf({ permission_mode, selection, thinking_level }: SessionAbout): SessionChoices {
  return { ...NO_CHOICES, permissionMode: permission_mode, selection, thinkingLevel: thinking_level };
}

type Change = Extract<SessionEvent, { t: 'agent-configuration-changed' }>;

/** The choices after envelopes of the session; the same value when they change none. */
export function withTold(choices: SessionChoices, envelopes: readonly AnyEnvelope[]): SessionChoices {
  return envelopes.reduce(
    (known, envelope) =>
      isKnown(envelope) && envelope.ev.t === 'agent-configuration-changed'
        ? changed(known, envelope.ev)
        : known,
    choices,
  );
}

function changed(choices: SessionChoices, ev: Change): SessionChoices {
  const { model, permissionMode, provider, sandbox, thinkingLevel: level } = ev;
  const selection =
    provider === undefined || model === undefined
      ? choices.selection
      : { provider_id: provider, model_id: model };
  return {
    ...choices,
    permissionMode: permissionMode ?? choices.permissionMode,
    selection,
    thinkingLevel: level ?? choices.thinkingLevel,
    sandbox: sandbox ?? choices.sandbox,
    effective: null,
  };
}

/** The service has done what was asked for and says what holds. */
export function withEffective(
  choices: SessionChoices,
  asked: ConfigureRequest,
  effective: SessionConfiguration,
): SessionChoices {
  const own = asked.selection === undefined ? choices.thinkingLevel : 'default';
  return {
    ...choices,
    permissionMode: effective.permission_mode,
    selection: asked.selection ?? choices.selection,
    thinkingLevel: asked.thinking_level ?? own,
    sandbox: effective.sandbox,
    effective,
    pending: null,
  };
}

/** One more choice before there is a session. Another model begins with its own level. */
export function withPending(choices: SessionChoices, change: ConfigureRequest): SessionChoices {
  const { thinking_level: _level, ...rest } = choices.pending ?? {};
  const before = change.selection === undefined ? (choices.pending ?? {}) : rest;
  return { ...choices, pending: { ...before, ...change } };
}

/** What the next turn of this session works with. */
export interface InForce {
  /** Null until the settings are known. */
  readonly selection: Selection | null;
  readonly thinkingLevel: string;
  /** The level that was chosen, where the model does not offer it and another one holds; else null. */
  readonly refusedLevel: string | null;
  readonly permissionMode: PermissionMode;
  readonly sandbox: boolean;
}

/** @param levelsOf the levels that a model offers; null where they are not known */
export function inForce(
  choices: SessionChoices,
  config: ConfigProjection | null,
  levelsOf: (selection: Selection) => readonly string[] | null,
): InForce {
  const { effective, pending } = choices;
  const selection = pending?.selection ?? choices.selection ?? config?.selection ?? null;
  const chosen = chosenLevel(choices, config);
  const offered = selection === null ? null : levelsOf(selection);
  const isAnswer =
    pending === null && choices.thinkingLevel !== null && isSame(effective?.selection, selection);
  const said = isAnswer ? effective?.thinking_level : undefined;
  const thinkingLevel = said ?? (offered === null || offered.includes(chosen) ? chosen : 'default');
  return {
    selection,
    thinkingLevel,
    refusedLevel: thinkingLevel === chosen ? null : chosen,
    permissionMode: pending?.permission_mode ?? choices.permissionMode,
    sandbox: pending?.sandbox ?? choices.sandbox,
  };
}

function isSame(left: Selection | undefined, right: Selection | null): boolean {
  return left?.provider_id === right?.provider_id && left?.model_id === right?.model_id;
}

function chosenLevel(
  { pending, thinkingLevel: told }: SessionChoices,
  config: ConfigProjection | null,
): string {
  if (pending?.thinking_level !== undefined) return pending.thinking_level;
  if (pending?.selection !== undefined) return 'default';
  return told ?? config?.thinking_level ?? 'default';
}

/** A level in the words of the settings; null for one that they cannot hold. */
export function asLevel(level: string): ThinkingLevel | null {
  return thinkingLevel.safeParse(level).data ?? null;
}
