/**
 * What a client chose for one session (PROTOCOL.md, "Session profile"). The stream is its only home: each change is
 * an `agent-configuration-changed` envelope, and all of them together are the choice.
 */
import * as z from 'zod';
import { selectionId } from '../../wire/fields.ts';
import { type PermissionMode, permissionMode } from '../../wire/session-protocol.ts';

export interface SessionChoices {
  readonly permissionMode: PermissionMode;
  /** Null: as the settings say. */
  readonly selection: { readonly provider: string; readonly model: string } | null;
  /** Null: as the settings say. */
  readonly thinkingLevel: string | null;
  readonly sandbox: boolean;
}

export const NO_CHOICES: SessionChoices = {
  permissionMode: 'default',
  selection: null,
  thinkingLevel: null,
  sandbox: false,
};

/** The event's members that can be used. */
const change = z.object({
  permissionMode: permissionMode.optional().catch(undefined),
  model: selectionId.optional().catch(undefined),
  provider: selectionId.optional().catch(undefined),
  thinkingLevel: z.string().optional().catch(undefined),
  sandbox: z.boolean().optional().catch(undefined),
});

/** The choices after one more `agent-configuration-changed`. */
export function withChange(choices: SessionChoices, ev: unknown): SessionChoices {
  const { model, permissionMode: mode, provider, sandbox, thinkingLevel } = change.safeParse(ev).data ?? {};
  const selection = provider === undefined || model === undefined ? choices.selection : { provider, model };
  return {
    permissionMode: mode ?? choices.permissionMode,
    selection,
    thinkingLevel: thinkingLevel ?? choices.thinkingLevel,
    sandbox: sandbox ?? choices.sandbox,
  };
}
