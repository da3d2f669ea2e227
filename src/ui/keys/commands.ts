/** All commands with their default keys, in the order of the help screen. */
import { CHAT_COMMANDS } from './chat-commands.ts';
import { READING_COMMANDS } from './reading-commands.ts';
import { SCREENS_COMMANDS } from './screens-commands.ts';
import { WRITING_COMMANDS } from './writing-commands.ts';

export const COMMANDS = [
  ...CHAT_COMMANDS,
  ...WRITING_COMMANDS,
  ...READING_COMMANDS,
  ...SCREENS_COMMANDS,
] as const;
