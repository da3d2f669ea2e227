/**
 * What the terminal is told beside the picture: the window's title, and a sign when somebody who looks elsewhere
 * is wanted. Pure. Only fixed words and the folder's name leave here, never text of a model, a tool or a session.
 */
import type { Environment } from '../platform/terminal-abilities.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import type { State } from '../store/state.ts';

/** Asks for the background, then for what every terminal answers: whoever has said the second will not say the first. */
export const TERMINAL_QUESTIONS = '\u001b]11;?\u001b\\\u001b[c';

/** What somebody at another window should know; null for nothing. */
export type Mood = 'idle' | 'working' | 'asking';

export function moodOf({ live }: State): Mood {
  if (live === null) return 'idle';
  return (live.envelopes?.questions.length ?? 0) > 0 ? 'asking' : 'working';
}

const WORDS: Readonly<Record<Mood, string>> = { idle: '', working: ' · working', asking: ' · asks you' };

/** The bytes that set the title of the window. */
export function titleBytes(folder: string, mood: Mood): string {
  return `\u001b]2;${sanitiseLine(folder)} · magi-term${WORDS[mood]}\u001b\\`;
}

/** What is worth a sign between two moods; null for nothing. */
export function newsOf(before: Mood, now: Mood): 'ended' | 'asks' | null {
  if (now === 'asking' && before !== 'asking') return 'asks';
  return now === 'idle' && before !== 'idle' ? 'ended' : null;
}

const BELL = '\u0007';
const NEWS: Readonly<Record<'ended' | 'asks', string>> = {
  ended: 'The turn has ended.',
  asks: 'The agent asks for your permission.',
};
const OSC_9 = new Set(['iTerm.app', 'WezTerm', 'ghostty']);
const OSC_777 = /^(foot|rxvt|konsole)/;

/** The bytes of a sign: a notification where the terminal is known to show one, else its bell. */
export function signBytes(news: 'ended' | 'asks', wish: 'auto' | 'bell', env: Environment): string {
  // A multiplexer keeps notifications to itself, and passes the bell on.
  const isInside = (env.TMUX ?? env.STY ?? '') !== '';
  if (wish === 'bell' || isInside) return BELL;
  if (OSC_9.has(env.TERM_PROGRAM ?? '')) return `\u001b]9;magi-term: ${NEWS[news]}\u001b\\`;
  if (OSC_777.test(env.TERM ?? '')) return `\u001b]777;notify;magi-term;${NEWS[news]}\u001b\\`;
  return BELL;
}
