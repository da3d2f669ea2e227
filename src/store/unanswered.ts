/** What was asked in vain: a turn that failed before anything was said or done leaves its message to be sent again. */
import type { Block } from '../transcript/blocks.ts';
import type { TurnTerminal } from '../wire/turn.ts';
import type { State } from './state.ts';

/** The message, for the draft; null when the turn has done something, or has not failed. */
export function unanswered(
  { history, live }: State,
  { assistant_text: said, status }: Pick<TurnTerminal, 'assistant_text' | 'status'>,
): string | null {
  if (live === null || status !== 'failed' || said !== '') return null;
  const hasDone = live.blocks.some(({ kind }) => kind === 'answer' || kind === 'tool' || kind === 'thinking');
  const isMessage = ({ kind }: Block): boolean => kind === 'user';
  const message = live.blocks.findLast(isMessage) ?? history.findLast(isMessage);
  return hasDone || message?.kind !== 'user' ? null : message.text;
}
