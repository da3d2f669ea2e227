/**
 * The draft and its caret: an immutable value; every edit returns a new one.
 *
 * Invariants:
 * - the text is well formed and holds no control character besides newline and tab;
 * - the caret (a UTF-16 offset) stands between visible characters, never inside one;
 * - undo after an edit gives the text and caret from before it.
 */
import {
  characterAfter,
  characterBefore,
  lineEnd,
  lineStart,
  snapBack,
  snapToCharacter,
} from './boundaries.ts';

/** One replaced stretch, enough to go back and forth. Offsets are UTF-16 units. */
interface Change {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  readonly caretBefore: number;
  readonly caretAfter: number;
}

/** What the last edit was: runs of one kind are undone together, and kills in a row are one entry to yank. */
type LastEdit = 'type' | 'delete' | 'kill' | 'yank' | 'other';

export interface TextBuffer {
  readonly text: string;
  readonly caret: number;
  /** The column in cells that vertical moves try to keep; null when the next one starts afresh. */
  readonly preferredColumn: number | null;
  /** What was cut, newest first. */
  readonly killRing: readonly string[];
  readonly undoStack: readonly Change[];
  readonly redoStack: readonly Change[];
  readonly lastEdit: LastEdit;
}

export const EMPTY_BUFFER: TextBuffer = {
  text: '',
  caret: 0,
  preferredColumn: null,
  killRing: [],
  undoStack: [],
  redoStack: [],
  lastEdit: 'other',
};

const UNDO_LIMIT = 500;
const KILL_RING_LIMIT = 20;

/** Returns a buffer that holds `text` with the caret at its end and nothing to undo. */
export function bufferOf(text: string): TextBuffer {
  const clean = cleanText(text);
  return { ...EMPTY_BUFFER, text: clean, caret: clean.length };
}

/** Returns the buffer with all of its text replaced, the caret at the end; one step to undo. */
export function replaceAll(buffer: TextBuffer, text: string): TextBuffer {
  return replaceRange(buffer, { start: 0, end: buffer.text.length, insert: text });
}

/** Returns the buffer with a stretch (UTF-16 offsets) replaced, the caret after it; one step to undo. */
export function replaceRange(
  buffer: TextBuffer,
  range: { readonly start: number; readonly end: number; readonly insert: string },
): TextBuffer {
  const inserted = cleanText(range.insert);
  const start = snapBack(buffer.text, range.start);
  const end = snapToCharacter(buffer.text, range.end);
  return change(buffer, { start, end, inserted, edit: 'other' });
}

/** Returns the buffer with text put in at the caret. Typed characters form runs that are undone word by word. */
export function insert(buffer: TextBuffer, text: string): TextBuffer {
  const inserted = cleanText(text);
  if (inserted === '') return buffer;
  const edit = isTyped(inserted) ? 'type' : 'other';
  return change(buffer, { start: buffer.caret, end: buffer.caret, inserted, edit });
}

/** Returns the buffer without the visible character before the caret. */
export function deleteBack(buffer: TextBuffer): TextBuffer {
  const start = characterBefore(buffer.text, buffer.caret);
  return change(buffer, { start, end: buffer.caret, inserted: '', edit: 'delete' });
}

/** Returns the buffer without the visible character after the caret. */
export function deleteForward(buffer: TextBuffer): TextBuffer {
  const end = characterAfter(buffer.text, buffer.caret);
  return change(buffer, { start: buffer.caret, end, inserted: '', edit: 'delete' });
}

/** Returns the buffer without the text between the caret and `to` (a boundary); kills in a row are yanked as one. */
export function killTo(buffer: TextBuffer, to: number): TextBuffer {
  const start = Math.min(buffer.caret, to);
  const end = Math.max(buffer.caret, to);
  if (start === end) return buffer;
  const cut = buffer.text.slice(start, end);
  const [newest = '', ...older] = buffer.killRing;
  const isRun = buffer.lastEdit === 'kill';
  const grown = to < buffer.caret ? cut + newest : newest + cut;
  const killRing = (isRun ? [grown, ...older] : [cut, ...buffer.killRing]).slice(0, KILL_RING_LIMIT);
  return { ...change(buffer, { start, end, inserted: '', edit: 'kill' }), killRing };
}

/** Returns the buffer with the text from the caret to the end of its line cut; at the end, the newline. */
export function killToLineEnd(buffer: TextBuffer): TextBuffer {
  const end = lineEnd(buffer.text, buffer.caret);
  return killTo(buffer, end === buffer.caret ? Math.min(end + 1, buffer.text.length) : end);
}

/** Returns the buffer with the text from the start of the line to the caret cut; at the start, the newline. */
export function killToLineStart(buffer: TextBuffer): TextBuffer {
  const start = lineStart(buffer.text, buffer.caret);
  return killTo(buffer, start === buffer.caret ? Math.max(start - 1, 0) : start);
}

/** Returns the buffer with what was last cut put in at the caret. */
export function yank(buffer: TextBuffer): TextBuffer {
  const [newest = ''] = buffer.killRing;
  return change(buffer, { start: buffer.caret, end: buffer.caret, inserted: newest, edit: 'yank' });
}

/** Right after a yank: returns the buffer with the next older cut in its place. Otherwise the same buffer. */
export function yankOlder(buffer: TextBuffer): TextBuffer {
  const [newest, ...older] = buffer.killRing;
  const yanked = buffer.undoStack.at(-1);
  const [next] = older;
  if (buffer.lastEdit !== 'yank' || yanked === undefined || newest === undefined || next === undefined) {
    return buffer;
  }
  return yank({ ...undo(buffer), killRing: [...older, newest] });
}

/** Returns the buffer before the last edit (or run of typing), or the same buffer when there is none. */
export function undo(buffer: TextBuffer): TextBuffer {
  const last = buffer.undoStack.at(-1);
  if (last === undefined) return buffer;
  return {
    ...buffer,
    text: splice(buffer.text, last.at, last.inserted.length, last.removed),
    caret: last.caretBefore,
    preferredColumn: null,
    undoStack: buffer.undoStack.slice(0, -1),
    redoStack: [...buffer.redoStack, last],
    lastEdit: 'other',
  };
}

/** Returns the buffer with the last undone edit made again, or the same buffer when there is none. */
export function redo(buffer: TextBuffer): TextBuffer {
  const last = buffer.redoStack.at(-1);
  if (last === undefined) return buffer;
  return {
    ...buffer,
    text: splice(buffer.text, last.at, last.removed.length, last.inserted),
    caret: last.caretAfter,
    preferredColumn: null,
    undoStack: [...buffer.undoStack, last],
    redoStack: buffer.redoStack.slice(0, -1),
    lastEdit: 'other',
  };
}

/** Returns the buffer with the caret moved to the visible character boundary at or after an offset. */
export function moveTo(buffer: TextBuffer, offset: number): TextBuffer {
  const caret = snapToCharacter(buffer.text, offset);
  return { ...buffer, caret, preferredColumn: null, lastEdit: 'other' };
}

/** Returns the size of the text in bytes of UTF-8. */
export function byteLength(buffer: TextBuffer): number {
  return Buffer.byteLength(buffer.text, 'utf8');
}

/** Returns text as the buffer keeps it: well formed, LF line ends, no other control characters. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

function isTyped(inserted: string): boolean {
  return inserted.length <= 2 && inserted !== '\n' && [...inserted].length === 1;
}

function change(
  buffer: TextBuffer,
  edit: { readonly start: number; readonly end: number; readonly inserted: string; readonly edit: LastEdit },
): TextBuffer {
  const { start, end, inserted } = edit;
  if (start === end && inserted === '') return buffer;
  const text = splice(buffer.text, start, end - start, inserted);
  const caret = snapToCharacter(text, start + inserted.length);
  const made: Change = {
    at: start,
    removed: buffer.text.slice(start, end),
    inserted,
    caretBefore: buffer.caret,
    caretAfter: caret,
  };
  const last = buffer.undoStack.at(-1);
  const merged = last === undefined || buffer.lastEdit !== edit.edit ? null : merge(last, made, edit.edit);
  const undoStack =
    merged === null
      ? [...buffer.undoStack, made].slice(-UNDO_LIMIT)
      : [...buffer.undoStack.slice(0, -1), merged];
  return { ...buffer, text, caret, preferredColumn: null, undoStack, redoStack: [], lastEdit: edit.edit };
}

/** Returns two changes of one kind as one, or null when they are apart or a new word begins. */
function merge(first: Change, second: Change, kind: LastEdit): Change | null {
  const { caretAfter } = second;
  if (kind === 'type') {
    const startsWord = /\s$/.test(first.inserted) && !/^\s/.test(second.inserted);
    if (startsWord || second.removed !== '' || second.at !== first.at + first.inserted.length) return null;
    return { ...first, inserted: first.inserted + second.inserted, caretAfter };
  }
  if (kind === 'delete' && first.inserted === '') {
    if (second.at + second.removed.length === first.at) {
      return { ...first, at: second.at, removed: second.removed + first.removed, caretAfter };
    }
    if (second.at === first.at) return { ...first, removed: first.removed + second.removed, caretAfter };
  }
  return null;
}

function splice(text: string, at: number, removeUnits: number, insertText: string): string {
  return text.slice(0, at) + insertText + text.slice(at + removeUnits);
}
