/** What the model says, so that the daemon passes it on piece by piece. */
import type { ModelScript } from '../support/model-server.ts';
import { sse } from '../support/model-server-steps.ts';

/**
 * Size of one piece, in letters; the model server cuts texts to it. A word of `words` is one piece, and becomes one delta.
 */
export const PIECE_LETTERS = 5;

/** Numbered words of one piece each. */
export function words(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `w${String(index).padStart(3, '0')} `);
}

/** The daemon holds a chat reply back until its end, unless thinking has ended before. */
export const THOUGHT: { readonly text: string } = { text: '</think>' };

/** Text that comes as one delta, however long. */
export function whole(text: string): { readonly raw: string } {
  return { raw: sse(null, { choices: [{ index: 0, delta: { content: text } }] }) };
}

/** Says so many words: `burst` of them at once, then a pause. */
export function speaking(
  count: number,
  pace: { readonly burst: number; readonly delayMs: number },
): ModelScript {
  const all = words(count);
  const bursts = Array.from({ length: Math.ceil(count / pace.burst) }, (_, index) => ({
    text: all.slice(index * pace.burst, (index + 1) * pace.burst).join(''),
    delayMs: pace.delayMs,
  }));
  return () => [THOUGHT, ...bursts];
}

/** Says a word every 20 ms for 10 s. */
export const slowly: ModelScript = speaking(500, { burst: 1, delayMs: 20 });
