/** Moving through anything that has entries: lists, questions, the rows of the help. */
import type { CommandId } from '../keys/bindings.ts';

export interface ListPlace {
  readonly at: number;
  readonly count: number;
  /** Entries of one page. */
  readonly page: number;
}

/** The entry after a command, within the list; the same entry when the command does not move. */
export function movedEntry(command: CommandId, { at, count, page }: ListPlace): number {
  const last = Math.max(0, count - 1);
  const by = moveOf(command, Math.max(1, page), last);
  return Math.min(last, Math.max(0, at + by));
}

function moveOf(command: CommandId, page: number, last: number): number {
  switch (command) {
    case 'list.up':
    case 'activity.up':
    case 'picker.up':
    case 'login.up':
    case 'choice.up':
    case 'settings.up':
    case 'help.up':
      return -1;
    case 'list.down':
    case 'activity.down':
    case 'picker.down':
    case 'login.down':
    case 'choice.down':
    case 'settings.down':
    case 'help.down':
      return 1;
    case 'list.page-up':
    case 'activity.page-up':
    case 'picker.page-up':
    case 'login.page-up':
    case 'help.page-up':
      return -page;
    case 'list.page-down':
    case 'activity.page-down':
    case 'picker.page-down':
    case 'login.page-down':
    case 'help.page-down':
      return page;
    case 'list.first':
    case 'activity.first':
      return -last;
    case 'list.last':
    case 'activity.last':
      return last;
    default:
      return 0;
  }
}
