/** What an agent does unasked in each permission mode, in a few words. */
import type { PermissionMode } from '../wire/session-protocol.ts';

export const MODE_WORDS: Readonly<Record<PermissionMode, string>> = {
  default: 'asks before commands',
  acceptEdits: 'edits without asking',
  plan: 'plans only',
  bypassPermissions: 'asks nothing',
};
