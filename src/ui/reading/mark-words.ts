/** The marks at the edge of the talk: what they look like, and what they mean in words. */
import type { GapKind, GapMark } from '../../transcript/gap-marks.ts';
import { hour } from '../rows/format.ts';

/** One cell each. */
export const MARK_SIGNS: Readonly<Record<GapKind, string>> = {
  dropped: '┆',
  relink: '↯',
  control: '⇄',
  missing: '▒',
};

/** What happened here, in a sentence. */
function markWords({ count, holder, kind, time }: GapMark): string {
  const when = time === null ? '' : ` at ${hour(time)}`;
  switch (kind) {
    case 'dropped':
      return `The service left out ${count} ${count === 1 ? 'report' : 'reports'} of what happened around here; no text is missing.`;
    case 'relink':
      return count === 1
        ? `The link was lost and found here${when}; what was said meanwhile was read again.`
        : `The link was lost and found ${count} times here, last${when}; what was said meanwhile was read again.`;
    case 'control':
      return holder === 'mine'
        ? `This window controls the session again from here on${when === '' ? '' : `,${when}`}.`
        : `Another window took over the session here${when}.`;
    case 'missing':
      return 'Some of the history around here could not be read, or had to be shortened.';
  }
}

/** What the marks of a block say together; empty for none. */
export function wordsAt(marks: readonly GapMark[], block: string): string {
  return marks
    .filter(({ at }) => at === block)
    .map((mark) => `${MARK_SIGNS[mark.kind]} ${markWords(mark)}`)
    .join(' ');
}
