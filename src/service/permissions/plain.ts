/** Rights that are settings of the folder: every question is answered by them, nobody is asked. */
import type { PermissionAnswer, PermissionAsk, Permit } from '../../agent/runtime.ts';

/** What a tool may do beyond reading and writing inside the workspace. */
export interface ToolPolicy {
  /** Commands may run. */
  readonly bash: boolean;
  /** The file tools may touch paths outside the workspace. */
  readonly writeOutside: boolean;
}

const ALLOW_BASH = 'magi-term config set allow.bash true';
const ALLOW_OUTSIDE = 'magi-term config set allow.writeOutside true';

/** Answers from the settings alone. */
export function plainPermit(policy: ToolPolicy): Permit {
  return async (ask) => answer(ask, policy);
}

/** What the model is told about the rights that `plainPermit` gives. */
export function plainRights({ bash, writeOutside }: ToolPolicy): string {
  return [
    writeOutside
      ? '- You may also work outside of that folder.'
      : '- Everything outside of that folder is closed.',
    bash
      ? '- bash runs commands: use it to build and test what you changed.'
      : `- bash is switched off here: ask the user to run commands, or to allow it with "${ALLOW_BASH}".`,
  ].join('\n');
}

function answer(ask: PermissionAsk, policy: ToolPolicy): PermissionAnswer {
  switch (ask.kind) {
    case 'write':
      return ALLOWED;
    case 'read-outside':
    case 'write-outside':
      return policy.writeOutside ? ALLOWED : outside(ask);
    case 'mcp':
      return SERVER_REFUSED;
    case 'bash':
      if (policy.bash) return ALLOWED;
      return ask.toolName === 'bash' ? BASH_REFUSED : repository(ask);
  }
}

const ALLOWED: PermissionAnswer = { allowed: true, by: 'mode' };

const BASH_REFUSED: PermissionAnswer = {
  allowed: false,
  notice: `bash is not allowed in this workspace. Allow it: ${ALLOW_BASH}`,
  output: `Not allowed: commands may not run in this workspace. Do not try another way around. Tell the user that they can allow it with: ${ALLOW_BASH}`,
};

const SERVER_RULE = 'a rule such as "mcp: server/tool" in the settings';

/** What a server does may leave this machine: that commands may run says nothing about it. */
const SERVER_REFUSED: PermissionAnswer = {
  allowed: false,
  notice: `tools of MCP servers are not allowed in this workspace. Allow one with ${SERVER_RULE}`,
  output: `Not allowed: this tool of an MCP server may not run in this workspace. Do not try another way around. Tell the user that they can allow it with ${SERVER_RULE}`,
};

function outside({ kind, subject }: PermissionAsk): PermissionAnswer {
  const verb = kind === 'read-outside' ? 'read' : 'write';
  return {
    allowed: false,
    notice: `${verb} outside the workspace is not allowed. Allow it: ${ALLOW_OUTSIDE}`,
    output: `Not allowed: ${subject} is outside the workspace. Do not try another way around. Tell the user that they can allow it with: ${ALLOW_OUTSIDE}`,
  };
}

function repository({ title }: PermissionAsk): PermissionAnswer {
  return {
    allowed: false,
    notice: `write to .git is not allowed: its hooks can run commands. Allow it with bash: ${ALLOW_BASH}`,
    output: `Not allowed: ${title} belongs to git, whose hooks and settings can run commands. Do not try another way around. Tell the user that they can allow it, together with bash, with: ${ALLOW_BASH}`,
  };
}
