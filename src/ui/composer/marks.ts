/** The characters of a private plane that stand for folded pastes, see `folds.ts`. */

export const FIRST_MARK = 0x10f000;
export const LAST_MARK = 0x10fffd;

const HAS_MARK = /[\u{10f000}-\u{10fffd}]/u;
const ALL_MARKS = /[\u{10f000}-\u{10fffd}]/gu;

/** Whether text holds what could be taken for a mark. */
export function holdsMark(text: string): boolean {
  return HAS_MARK.test(text);
}

/** The text with every mark replaced. */
export function replaceMarks(text: string, by: (mark: string) => string): string {
  return text.replaceAll(ALL_MARKS, by);
}
