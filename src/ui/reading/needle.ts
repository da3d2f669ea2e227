/** What is searched for, as a pattern: any case unless capitals were typed. */

export interface Needle {
  readonly text: string;
  /** Fresh for each use: its place is its own. */
  readonly pattern: () => RegExp;
}

/** Null when there is nothing to search for. */
export function needleOf(text: string): Needle | null {
  if (text.trim() === '') return null;
  const flags = text === text.toLowerCase() ? 'giu' : 'gu';
  const source = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return { text, pattern: () => new RegExp(source, flags) };
}

/** How often the needle is found in a text; finds do not overlap. */
export function countIn(text: string, needle: Needle): number {
  const pattern = needle.pattern();
  let count = 0;
  while (pattern.test(text)) count += 1;
  return count;
}
