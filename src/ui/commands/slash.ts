/** Does what a draft asks for that is a command in words. */
import type { SlashAction, SlashCommand } from '../completion/slash-commands.ts';
import type { Desk } from '../desk.ts';
import { attachPath } from './attach.ts';

/** Runs a command; `argument` is what stands behind its name. */
export function runSlash({ does }: SlashCommand, argument: string, desk: Desk): void {
  if (does.kind === 'command') desk.run(does.id);
  else ACTIONS[does.action](desk, argument);
}

const ACTIONS: Readonly<Record<SlashAction, (desk: Desk, argument: string) => void>> = {
  attach: (desk, argument) => attachPath(argument, desk),
  leave: ({ leave }) => leave(),
  stop: ({ conversation, say, store }) => {
    if (store.getState().live === null) say('No turn is running.');
    else conversation.stop();
  },
};
