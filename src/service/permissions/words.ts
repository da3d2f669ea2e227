/** What the model and the people are told about rights and refusals: fixed words (PROTOCOL.md, "Session profile"). */
import type { PermissionAnswer } from '../../agent/runtime.ts';
import type { PermissionMode } from '../../wire/session-protocol.ts';

type Refusal = Extract<PermissionAnswer, { allowed: false }>;

const NO_WAY_AROUND = 'Do not try another way around.';

export const REFUSALS = {
  plan: {
    allowed: false,
    output: `Not allowed: plan mode is on, and nothing may be changed or run. ${NO_WAY_AROUND} Only a plan is wanted: read what you need, then describe step by step what you would do, and stop.`,
    notice: 'plan mode is on: nothing is changed or run',
  },
  rule: {
    allowed: false,
    output: `Not allowed: a rule of the user forbids this. ${NO_WAY_AROUND} Go on without it, or say what you would need.`,
    notice: 'forbidden by a rule of this workspace (permissions.deny in the settings)',
  },
  denied: {
    allowed: false,
    output: `Not allowed: the user denied this. ${NO_WAY_AROUND} Go on without it, or ask what to do instead.`,
    notice: 'denied by you',
  },
  unanswered: {
    allowed: false,
    output: `Not allowed: nobody answered the question in time. ${NO_WAY_AROUND} Go on without it, or say what you would need.`,
    notice: 'denied: nobody answered in time',
  },
} as const satisfies Record<string, Refusal>;

const FREE_INSIDE = '- Inside of that folder you may read and change everything.';
const ASKED = 'the user is asked first, so say what you are about to do';

/** What the model is told when the user can be asked. */
export function modeRights(mode: PermissionMode): string {
  switch (mode) {
    case 'default':
      return `${FREE_INSIDE}\n- For everything outside of it, for commands and for tools of MCP servers, ${ASKED}.`;
    case 'acceptEdits':
      return `- You may read and change files everywhere.\n- For commands and for tools of MCP servers, ${ASKED}.`;
    case 'bypassPermissions':
      return '- You may do everything without asking: files everywhere, commands, tools of MCP servers.';
    case 'plan':
      return '- Plan mode is on: you may read, but you may not change or run anything. Only a plan is wanted: describe step by step what you would do, and stop.';
  }
}
