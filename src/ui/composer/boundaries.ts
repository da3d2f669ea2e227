/**
 * Where the caret may stand: offsets (UTF-16 units) between visible characters, words and lines.
 *
 * Invariants: a newline is a character of its own, so only the line around an offset is ever read; an offset beside two
 * ASCII characters is a boundary, so plain text needs no segmentation.
 */
import { graphemes } from '../../render/width.ts';
import { holdsMark } from './marks.ts';

/** Returns the offset of the first unit of the line that holds `offset`. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the offset of the newline that ends the line, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

/** Returns the start of the visible character before `offset`, which is a boundary. */
export function characterBefore(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (isAscii(text, offset - 1) && (offset === 1 || isAscii(text, offset - 2))) return offset - 1;
  let start = lineStart(text, offset);
  if (start === offset) return offset - 1;
  for (const character of graphemes(text.slice(start, lineEnd(text, offset)))) {
    if (start + character.length >= offset) return start;
    start += character.length;
  }
  return start;
}

/** Returns the end of the visible character after `offset`, which is a boundary. */
export function characterAfter(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (text[offset] === '\n') return offset + 1;
  if (isAscii(text, offset) && (offset + 1 === text.length || isAscii(text, offset + 1))) return offset + 1;
  return snapToCharacter(text, offset + 1);
}

/** Returns the boundary at or after an offset. */
export function snapToCharacter(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (offset >= text.length) return text.length;
  if (isAscii(text, offset - 1) && isAscii(text, offset)) return offset;
  let end = lineStart(text, offset);
  if (end === offset) return offset;
  for (const character of graphemes(text.slice(end, lineEnd(text, offset)))) {
    end += character.length;
    if (end >= offset) return end;
  }
  return end;
}

/** Returns the boundary at or before an offset. */
export function snapBack(text: string, offset: number): number {
  const after = snapToCharacter(text, offset);
  return after <= offset ? after : characterBefore(text, after);
}

/** Returns the start of the word before `offset`: spaces are skipped, then letters or else marks. */
export function wordBefore(text: string, offset: number): number {
  let at = offset;
  let kind = 'space';
  while (at > 0) {
    const start = characterBefore(text, at);
    const next = kindOf(text.slice(start, at));
    if (kind !== 'space' && next !== kind) break;
    kind = next;
    at = start;
  }
  return at;
}

/** Returns the end of the word after `offset`: spaces are skipped, then letters or else marks. */
export function wordAfter(text: string, offset: number): number {
  let at = offset;
  let kind = 'space';
  while (at < text.length) {
    const end = characterAfter(text, at);
    const next = kindOf(text.slice(at, end));
    if (kind !== 'space' && next !== kind) break;
    kind = next;
    at = end;
  }
  return at;
}

function kindOf(character: string): 'space' | 'word' | 'mark' | 'fold' {
  if (holdsMark(character)) return 'fold';
  if (/^\s/u.test(character)) return 'space';
  return /^[\p{L}\p{N}\p{M}_]/u.test(character) ? 'word' : 'mark';
}

function isAscii(text: string, index: number): boolean {
  return text.charCodeAt(index) < 0x80;
}
