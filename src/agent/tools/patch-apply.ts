import { type FilePatch, type Hunk, type HunkLine, PatchError } from './patch-parse.ts';

/**
 * Hunks onto the text of one file. Invariants: every context and removed line is there exactly, apart from its
 * line end; a hunk whose place is not certain is an error; line ends and the final newline stay as in the file.
 */

/** How far from the given line a hunk may be, in lines. */
const MAX_OFFSET = 100;
const SHOWN_CHARS = 120;

interface Line {
  readonly text: string;
  /** `\n`, `\r\n`, or empty for a last line without one. */
  readonly end: string;
}

/** The new text of a file; null when it is deleted. `before` is null when there is no file. @throws PatchError */
export function applyFilePatch(patch: FilePatch, before: string | null): string | null {
  switch (patch.kind) {
    case 'create':
      if (before !== null) throw new PatchError(`${patch.path} exists already.`);
      return created(patch);
    case 'delete':
      if (before === null) throw new PatchError(`${patch.path} does not exist.`);
      if (applyHunks(patch, before) !== '')
        throw new PatchError(
          `${patch.path}: the patch deletes the file but does not remove every line of it.`,
        );
      return null;
    case 'change':
      if (before === null) throw new PatchError(`${patch.path} does not exist.`);
      return changed(patch, before);
  }
}

function created({ hunks, path }: FilePatch): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.some(({ op }) => op !== '+'))
    throw new PatchError(`${path}: a new file can only have lines that begin with "+".`);
  const text = lines.map((line) => line.text).join('\n');
  return text === '' || hunks.at(-1)?.endsWithoutNewline === true ? text : `${text}\n`;
}

function changed(patch: FilePatch, before: string): string {
  const after = applyHunks(patch, before);
  if (after === before) throw new PatchError(`${patch.path}: the patch changes nothing.`);
  return after;
}

function applyHunks({ hunks, path }: FilePatch, before: string): string {
  const lines = linesOf(before);
  const usual = lines.find(({ end }) => end !== '')?.end ?? '\n';
  const out: Line[] = [];
  let done = 0;
  let drift = 0;
  for (const hunk of hunks) {
    const name = `${path}, ${hunk.name}`;
    const at = place(hunk, { lines, from: done, drift, name });
    if (hunk.start !== null) drift = at - hunk.start;
    out.push(...lines.slice(done, at));
    done = at;
    for (const { op, text } of hunk.lines) {
      if (op === '+') out.push({ text, end: out.at(-1)?.end || lines[done]?.end || usual });
      else {
        const line = lines[done];
        if (op === ' ' && line !== undefined) out.push(line);
        done += 1;
      }
    }
  }
  out.push(...lines.slice(done));
  const endsWithNewline = before === '' ? hunks.at(-1)?.endsWithoutNewline !== true : before.endsWith('\n');
  return textOf(out, usual, endsWithNewline);
}

function linesOf(text: string): readonly Line[] {
  return (text.match(/[^\n]*\n|[^\n]+$/gu) ?? []).map((line) => {
    const end = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
    return { text: line.slice(0, line.length - end.length), end };
  });
}

function textOf(lines: readonly Line[], usual: string, endsWithNewline: boolean): string {
  return lines
    .map(({ end, text }, index) => {
      if (index < lines.length - 1) return text + (end || usual);
      return endsWithNewline ? text + (end || usual) : text;
    })
    .join('');
}

interface Search {
  readonly lines: readonly Line[];
  /** The hunk before ends here. */
  readonly from: number;
  /** How far the hunk before was from its line. */
  readonly drift: number;
  readonly name: string;
}

/** The line where a hunk fits. @throws PatchError */
function place(hunk: Hunk, { drift, from, lines, name }: Search): number {
  const old = hunk.lines.filter(({ op }) => op !== '+');
  if (old.length === 0) {
    if (lines.length === 0) return 0;
    throw new PatchError(`${name} has no context: add some of the unchanged lines around the change.`);
  }
  const expected = hunk.start === null ? null : hunk.start + drift;
  if (expected !== null && expected >= from && fits(old, lines, expected)) return expected;
  const first = expected === null ? from : Math.max(from, expected - MAX_OFFSET);
  const last = Math.min(lines.length - old.length, expected === null ? lines.length : expected + MAX_OFFSET);
  const found: number[] = [];
  for (let at = first; at <= last && found.length < 2; at += 1) if (fits(old, lines, at)) found.push(at);
  const [only, another] = found;
  if (only === undefined) throw new PatchError(`${name} does not fit: ${mismatch(old, lines, expected)}`);
  if (another !== undefined)
    throw new PatchError(`${name} fits at several places: give the right line number or more context.`);
  return only;
}

function fits(old: readonly HunkLine[], lines: readonly Line[], at: number): boolean {
  return old.every(({ text }, index) => lines[at + index]?.text === text);
}

function mismatch(old: readonly HunkLine[], lines: readonly Line[], expected: number | null): string {
  if (expected === null) return 'its lines are not in the file in this order. Read the file again.';
  const index = old.findIndex(({ text }, offset) => lines[expected + offset]?.text !== text);
  const wanted = shown(old[index]?.text ?? '');
  const line = lines[expected + index];
  const there = line === undefined ? 'the end of the file' : shown(line.text);
  return `line ${expected + index + 1} should be ${wanted} but is ${there}. Read the file again.`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text);
}
