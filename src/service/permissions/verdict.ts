/**
 * What is decided without a person (PROTOCOL.md, "Session profile"): rules that forbid, the mode, rules and
 * settings that allow, in that order; whatever is left has to be asked.
 *
 * | mode | change inside | read, change outside | command, MCP tool |
 * | --- | --- | --- | --- |
 * | `default` | free | asked | asked |
 * | `acceptEdits` | free | free | asked |
 * | `bypassPermissions` | free | free | free |
 * | `plan` | denied | read asked, change denied | denied |
 *
 * Invariants: pure; nothing that allows beats a rule that forbids, and plan mode allows no change whatever the
 * rules say. A change to what `.git` holds counts as a command.
 */
import type { PermissionAsk } from '../../agent/runtime.ts';
import type { PermissionMode } from '../../wire/session-protocol.ts';
import type { ToolPolicy } from './plain.ts';
import { isAllowed, isDenied } from './rules.ts';

export interface Situation {
  readonly workspace: string;
  readonly mode: PermissionMode;
  /** Rules of the workspace. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Everything of a kind. */
  readonly policy: ToolPolicy;
  /** Files that were handed to the agent, although they lie outside. */
  readonly isOffered: (path: string) => boolean;
}

export type Verdict =
  | { readonly kind: 'allow'; readonly by: 'mode' | 'rule' }
  | { readonly kind: 'deny'; readonly because: 'rule' | 'plan' }
  | { readonly kind: 'ask' };

const BY_MODE: Verdict = { kind: 'allow', by: 'mode' };
const BY_RULE: Verdict = { kind: 'allow', by: 'rule' };

export function verdictOf(ask: PermissionAsk, situation: Situation): Verdict {
  const { allow, deny, isOffered, mode } = situation;
  if (isDenied(ask, deny, situation.workspace)) return { kind: 'deny', because: 'rule' };
  if (mode === 'plan' && ask.kind !== 'read-outside') return { kind: 'deny', because: 'plan' };
  if (ask.kind === 'write' || mode === 'bypassPermissions') return BY_MODE;
  const isFile = ask.kind === 'read-outside' || ask.kind === 'write-outside';
  if (isFile && mode === 'acceptEdits') return BY_MODE;
  if (ask.kind === 'read-outside' && isOffered(ask.subject)) return BY_MODE;
  if (isFile && situation.policy.writeOutside) return BY_RULE;
  // What a server does may leave this machine: that commands may run says nothing about it.
  if (ask.kind === 'bash' && situation.policy.bash) return BY_RULE;
  return isAllowed(ask, allow) ? BY_RULE : { kind: 'ask' };
}
