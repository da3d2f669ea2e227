import { parsePatch, type StructuredPatchHunk } from 'diff';
import { messageOf } from '../turn.ts';

/**
 * A unified diff as a model writes it. Line counts are often wrong, and blank context lines lack their space:
 * both are mended. Invariant: every file that comes out says itself whether it is changed, created or deleted.
 */

export interface FilePatch {
  readonly kind: 'change' | 'create' | 'delete';
  /** As the patch names it, without `a/` and `b/`. */
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

export interface Hunk {
  /** For the model: `hunk 2 (@@ -10,3 +10,4 @@)`. */
  readonly name: string;
  /** Line of the old file where it begins, counted from 0; null when the header has no numbers. */
  readonly start: number | null;
  readonly lines: readonly HunkLine[];
  /** The new text ends without a newline. */
  readonly endsWithoutNewline: boolean;
}

export interface HunkLine {
  readonly op: ' ' | '+' | '-';
  readonly text: string;
}

/** What is wrong with a patch, as a sentence for the model. */
export class PatchError extends Error {}

const MAX_PATCH_CHARS = 1024 * 1024;
const MAX_FILES = 50;
const NO_FILE = '/dev/null';
const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;

/** @throws PatchError */
export function parseFilePatches(text: string): readonly FilePatch[] {
  if (text.length > MAX_PATCH_CHARS) throw new PatchError('The patch is larger than 1 MB. Split it.');
  if (!text.isWellFormed()) throw new PatchError('The patch is not valid Unicode.');
  const lines = recount(text.replaceAll('\r\n', '\n').split('\n'));
  const files = parse(lines).filter(
    ({ hunks, oldFileName }) => hunks.length > 0 || oldFileName !== undefined,
  );
  if (files.length === 0)
    throw new PatchError('The patch has no file: each one begins with "--- a/path" and "+++ b/path".');
  if (files.length > MAX_FILES) throw new PatchError(`The patch has more than ${MAX_FILES} files. Split it.`);
  return files.map(filePatch);
}

type Parsed = ReturnType<typeof parsePatch>[number];

function parse(lines: readonly string[]): readonly Parsed[] {
  try {
    return parsePatch(lines.join('\n'));
  } catch (error) {
    throw new PatchError(`The patch cannot be read: ${messageOf(error)}.`);
  }
}

function filePatch({ hunks, newFileName: after, oldFileName: before }: Parsed): FilePatch {
  if (before === undefined || after === undefined)
    throw new PatchError('A hunk has no file: put "--- a/path" and "+++ b/path" before it.');
  if (before === NO_FILE && after === NO_FILE) throw new PatchError('A file is /dev/null on both sides.');
  const kind = before === NO_FILE ? 'create' : after === NO_FILE ? 'delete' : 'change';
  const path = kind === 'delete' ? without('a/', before) : before === after ? after : without('b/', after);
  if (kind === 'change' && before !== after && without('a/', before) !== path)
    throw new PatchError(`The patch renames ${before}: delete that file and create the new one instead.`);
  if (hunks.length === 0) throw new PatchError(`The patch has no hunk for ${path}.`);
  return { kind, path, hunks: hunks.map(hunkOf) };
}

function without(prefix: string, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function hunkOf(hunk: StructuredPatchHunk, index: number): Hunk {
  const { lines, newLines, newStart, oldLines, oldStart } = hunk;
  const isNumbered = oldStart > 0 || oldLines === 0;
  const header = isNumbered ? `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@` : '@@';
  return {
    name: `hunk ${index + 1} (${header})`,
    start: isNumbered ? Math.max(0, oldStart - 1) : null,
    lines: lines.flatMap((line): HunkLine[] => {
      const op = line[0] ?? ' ';
      return op === '+' || op === '-' || op === ' ' ? [{ op, text: line.slice(1) }] : [];
    }),
    endsWithoutNewline: lines.at(-1)?.startsWith('\\') === true && lines.at(-2)?.startsWith('-') !== true,
  };
}

/** Gives every hunk header the counts of its lines; a header without numbers gets line 0. */
function recount(lines: readonly string[]): readonly string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (!/^@@(?:\s|$)/u.test(line)) {
      out.push(line);
      at += 1;
      continue;
    }
    const numbers = HUNK_HEADER.exec(line);
    const body = hunkBody(lines, at + 1, numbers);
    const removed = body.filter((text) => !/^[+\\]/u.test(text)).length;
    const added = body.filter((text) => !/^[-\\]/u.test(text)).length;
    out.push(`@@ -${numbers?.[1] ?? 0},${removed} +${numbers?.[3] ?? 0},${added} @@`);
    out.push(...body.map((text) => (text === '' ? ' ' : text)));
    at += 1 + body.length;
  }
  return out;
}

/** The lines of one hunk: everything up to what cannot belong to it. Blank lines at its end belong to it only when they make the header right. */
function hunkBody(
  lines: readonly string[],
  start: number,
  numbers: RegExpExecArray | null,
): readonly string[] {
  let end = start;
  while (end < lines.length && /^(?:[ +\-\\]|$)/u.test(lines[end] ?? '') && !isFileHeader(lines, end))
    end += 1;
  const body = lines.slice(start, end);
  const solid = body.findLastIndex((text) => text !== '') + 1;
  const removed = body.slice(0, solid).filter((text) => !/^[+\\]/u.test(text)).length;
  const blank = Number(numbers?.[2] ?? 1) - removed;
  // The last piece of the text is no line: it stands behind the last newline.
  const most = body.length - solid - (end === lines.length ? 1 : 0);
  return body.slice(0, numbers !== null && blank > 0 && blank <= most ? solid + blank : solid);
}

/** Also a removed line may begin with `-- `: only the whole header counts. */
function isFileHeader(lines: readonly string[], at: number): boolean {
  return (
    /^--- \S/u.test(lines[at] ?? '') &&
    /^\+\+\+ \S/u.test(lines[at + 1] ?? '') &&
    /^@@/u.test(lines[at + 2] ?? '')
  );
}
