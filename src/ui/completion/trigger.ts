/**
 * What the word at the caret asks for: a command at the draft's beginning, or a file behind an `@`. Pure.
 *
 * Invariants:
 * - offsets (UTF-16 units) lie in the draft, the caret among them;
 * - a path such as `/usr/bin` and a draft of several lines ask for no command.
 */

export interface Trigger {
  readonly kind: 'command' | 'file';
  /** The stretch that a choice replaces. */
  readonly start: number;
  readonly end: number;
  /** What was written of it before the caret, without `/`, `@` or a quote. */
  readonly query: string;
}

/** How far back from the caret an `@` is looked for. */
const REACH = 1_000;
const COMMAND_WORD = /^\/([A-Za-z?][\w-]*)?(?=$|[ \t])/;
const FILE_WORD = /(?:^|[\s([{<'"`,;:=])@("[^"\n]*|[^\s"]*)$/u;

/** The word at the caret, or null when it asks for nothing. */
export function triggerOf(draft: { readonly text: string; readonly caret: number }): Trigger | null {
  return commandAt(draft.text, draft.caret) ?? fileAt(draft.text, draft.caret);
}

function commandAt(text: string, caret: number): Trigger | null {
  const word = text.includes('\n') ? null : COMMAND_WORD.exec(text);
  if (word === null || caret === 0 || caret > word[0].length) return null;
  return { kind: 'command', start: 0, end: word[0].length, query: text.slice(1, caret) };
}

function fileAt(text: string, caret: number): Trigger | null {
  const from = Math.max(text.lastIndexOf('\n', caret - 1) + 1, caret - REACH);
  const written = FILE_WORD.exec(text.slice(from, caret))?.[1];
  if (written === undefined) return null;
  const start = caret - written.length - 1;
  const isQuoted = written.startsWith('"');
  const rest = /^[^\s"]*/u.exec(text.slice(caret, caret + REACH))?.[0] ?? '';
  const end = isQuoted ? quotedEnd(text, caret) : caret + rest.length;
  return { kind: 'file', start, end, query: isQuoted ? written.slice(1) : written };
}

/** Behind the closing quote of this line; the caret when there is none. */
function quotedEnd(text: string, caret: number): number {
  const rest = /^[^"\n]*"/u.exec(text.slice(caret, caret + REACH))?.[0] ?? '';
  return caret + rest.length;
}
