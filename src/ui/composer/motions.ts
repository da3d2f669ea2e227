/** Caret moves that need no layout. Each returns a new buffer. */
import { characterAfter, characterBefore, lineEnd, lineStart, wordAfter, wordBefore } from './boundaries.ts';
import { killTo, moveTo, type TextBuffer } from './text-buffer.ts';

/** Moves one visible character left. */
export function moveLeft(buffer: TextBuffer): TextBuffer {
  return moveTo(buffer, characterBefore(buffer.text, buffer.caret));
}

/** Moves one visible character right. */
export function moveRight(buffer: TextBuffer): TextBuffer {
  return moveTo(buffer, characterAfter(buffer.text, buffer.caret));
}

/** Moves to the start of the word before. */
export function moveWordLeft(buffer: TextBuffer): TextBuffer {
  return moveTo(buffer, wordBefore(buffer.text, buffer.caret));
}

/** Moves to the end of the word after. */
export function moveWordRight(buffer: TextBuffer): TextBuffer {
  return moveTo(buffer, wordAfter(buffer.text, buffer.caret));
}

/** Moves to the start of the line. */
export function moveLineStart(buffer: TextBuffer): TextBuffer {
  return moveTo(buffer, lineStart(buffer.text, buffer.caret));
}

/** Moves to the end of the line. */
export function moveLineEnd(buffer: TextBuffer): TextBuffer {
  return moveTo(buffer, lineEnd(buffer.text, buffer.caret));
}

/** Cuts the word before the caret; it can be yanked. */
export function killWordBack(buffer: TextBuffer): TextBuffer {
  return killTo(buffer, wordBefore(buffer.text, buffer.caret));
}

/** Cuts the word after the caret; it can be yanked. */
export function killWordForward(buffer: TextBuffer): TextBuffer {
  return killTo(buffer, wordAfter(buffer.text, buffer.caret));
}
