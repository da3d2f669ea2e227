import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  killWordBack,
  killWordForward,
  moveLeft,
  moveLineEnd,
  moveLineStart,
  moveRight,
  moveWordLeft,
  moveWordRight,
} from '../../../src/ui/composer/motions.ts';
import {
  bufferOf,
  byteLength,
  cleanText,
  deleteBack,
  deleteForward,
  EMPTY_BUFFER,
  insert,
  killToLineEnd,
  killToLineStart,
  moveTo,
  redo,
  replaceAll,
  replaceRange,
  type TextBuffer,
  undo,
  yank,
  yankOlder,
} from '../../../src/ui/composer/text-buffer.ts';

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}';
const WIDE_CASES = [
  '漢',
  '字',
  '\u27a1',
  '\u27a1\ufe0f',
  'e\u0301',
  FAMILY,
  '\u{1f1e9}\u{1f1ea}',
  '\u{1f44d}\u{1f3fd}',
];

function boundaries(text: string): ReadonlySet<number> {
  return new Set([...[...SEGMENTER.segment(text)].map(({ index }) => index), text.length]);
}

function typed(buffer: TextBuffer, text: string): TextBuffer {
  return [...text].reduce(insert, buffer);
}

/** Text with the caret as a bar. */
function shown({ text, caret }: TextBuffer): string {
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

function at(marked: string): TextBuffer {
  return moveTo(bufferOf(marked.replace('|', '')), marked.indexOf('|'));
}

describe('text buffer', () => {
  it('crosses and deletes one visible character per key (FC-04)', () => {
    const text = WIDE_CASES.join('');
    let buffer = typed(EMPTY_BUFFER, text);
    const stops: number[] = [];
    for (const _ of WIDE_CASES) {
      buffer = moveLeft(buffer);
      stops.unshift(buffer.caret);
    }
    expect(stops).toEqual([...SEGMENTER.segment(text)].map(({ index }) => index));
    for (const _ of WIDE_CASES) buffer = moveRight(buffer);
    expect(buffer.caret).toBe(text.length);
    for (const [index] of WIDE_CASES.entries()) {
      buffer = deleteBack(buffer);
      expect(buffer.text).toBe(WIDE_CASES.slice(0, WIDE_CASES.length - 1 - index).join(''));
    }
    expect(buffer.text).toBe('');
  });

  it.each<readonly [string, (buffer: TextBuffer) => TextBuffer, string, string]>([
    ['delete forward', deleteForward, 'a|bc', 'a|c'],
    ['delete forward at the end', deleteForward, 'abc|', 'abc|'],
    ['delete back joins lines', deleteBack, 'ab\n|c', 'ab|c'],
    ['delete back at the start', deleteBack, '|abc', '|abc'],
    ['left over a newline', moveLeft, 'a\n|b', 'a|\nb'],
    ['word left', moveWordLeft, 'one two-three  |', 'one two-|three  '],
    ['word left over marks', moveWordLeft, 'one two-|three', 'one two|-three'],
    ['word right', moveWordRight, 'one|  zwei drei', 'one  zwei| drei'],
    ['word right over lines', moveWordRight, 'one|\nzwei', 'one\nzwei|'],
    ['line start', moveLineStart, 'a\nbc|d\ne', 'a\n|bcd\ne'],
    ['line end', moveLineEnd, 'a\n|bcd\ne', 'a\nbcd|\ne'],
    ['kill word back', killWordBack, 'one two|three', 'one |three'],
    ['kill word forward', killWordForward, 'one| two three', 'one| three'],
    ['kill to line end', killToLineEnd, 'a|bc\nd', 'a|\nd'],
    ['kill the newline', killToLineEnd, 'a|\nd', 'a|d'],
    ['kill to line start', killToLineStart, 'a\nbc|d', 'a\n|d'],
    ['kill at the end of all', killToLineEnd, 'a|', 'a|'],
    ['paste', (buffer) => insert(buffer, 'x\r\ny\u001b\u0007'), 'a|b', 'ax\ny|b'],
    ['a lone surrogate', (buffer) => insert(buffer, '\ud83d'), 'a|b', 'a\ufffd|b'],
    ['a mark before which a letter is put', (buffer) => insert(buffer, 'e'), '\n|\u0301', '\ne\u0301|'],
    ['joined by a deletion', deleteBack, 'a\n|\u0301', 'a\u0301|'],
  ])('%s', (_name, edit, before, after) => {
    expect(shown(edit(at(before)))).toBe(after);
  });

  it('keeps kills in a row together, newest first to yank', () => {
    let buffer = killWordBack(killWordBack(bufferOf('one two three')));
    expect(buffer.killRing).toEqual(['two three']);
    buffer = killToLineStart(moveLineEnd(buffer));
    expect(buffer.killRing).toEqual(['one ', 'two three']);
    buffer = yank(buffer);
    expect(buffer.text).toBe('one ');
    buffer = yankOlder(buffer);
    expect(buffer.text).toBe('two three');
    expect(yankOlder(buffer).text).toBe('one ');
    expect(yankOlder(moveLeft(buffer)).text).toBe('two three');
  });

  it('undoes typed words one by one, deletions as runs, and redoes them', () => {
    let buffer = typed(EMPTY_BUFFER, 'one two');
    buffer = deleteBack(deleteBack(buffer));
    const texts = [buffer.text];
    for (let step = 0; step < 4; step += 1) {
      buffer = undo(buffer);
      texts.push(buffer.text);
    }
    expect(texts).toEqual(['one t', 'one two', 'one ', '', '']);
    for (let step = 0; step < 4; step += 1) buffer = redo(buffer);
    expect(shown(buffer)).toBe('one t|');
    expect(redo(insert(undo(buffer), '!')).text).toBe('one two!');
  });

  it('replaces stretches at visible characters', () => {
    const family = bufferOf(`@${FAMILY}x`);
    expect(replaceRange(family, { start: 2, end: 3, insert: 'a' }).text).toBe('@ax');
    expect(undo(replaceAll(family, 'new')).text).toBe(family.text);
    expect(byteLength(bufferOf('é漢'))).toBe(5);
  });

  const pieces = fc.constantFrom(
    'a',
    'B',
    ' ',
    '\n',
    '\t',
    '-',
    'é',
    '\u0301',
    '\u200d',
    '\ufe0f',
    ...WIDE_CASES,
  );
  const commands = fc.array(
    fc.oneof(
      fc.record({ insert: fc.oneof(pieces, fc.string({ unit: 'grapheme', maxLength: 3 })) }),
      fc.record({ move: fc.nat({ max: 40 }) }),
      fc.constantFrom('back', 'forward', 'undo', 'redo', 'left', 'right'),
    ),
    { maxLength: 40 },
  );

  it('agrees with a naive model and never stands inside a character', () => {
    fc.assert(
      fc.property(commands, (list) => {
        let buffer = EMPTY_BUFFER;
        let model = { text: '', caret: 0 };
        for (const command of list) {
          const stops = [...boundaries(model.text)].sort((a, b) => a - b);
          const before = stops.findLast((stop) => stop < model.caret) ?? 0;
          const after = stops.find((stop) => stop > model.caret) ?? model.text.length;
          const { text, caret } = model;
          const snap = (next: string, offset: number) => ({
            text: next,
            caret: [...boundaries(next)].sort((a, b) => a - b).find((stop) => stop >= offset) ?? next.length,
          });
          if (typeof command === 'object' && 'insert' in command) {
            const clean = cleanText(command.insert);
            buffer = insert(buffer, command.insert);
            if (clean !== '')
              model = snap(text.slice(0, caret) + clean + text.slice(caret), caret + clean.length);
          } else if (typeof command === 'object') {
            buffer = moveTo(buffer, command.move);
            model = snap(text, command.move);
          } else if (command === 'back') {
            buffer = deleteBack(buffer);
            if (caret > 0) model = snap(text.slice(0, before) + text.slice(caret), before);
          } else if (command === 'forward') {
            buffer = deleteForward(buffer);
            if (caret < text.length) model = snap(text.slice(0, caret) + text.slice(after), caret);
          } else if (command === 'left') {
            buffer = moveLeft(buffer);
            model = { text, caret: before };
          } else if (command === 'right') {
            buffer = moveRight(buffer);
            model = { text, caret: after };
          } else {
            buffer = command === 'undo' ? undo(buffer) : redo(buffer);
            model = { text: buffer.text, caret: buffer.caret };
          }
          expect({ text: buffer.text, caret: buffer.caret }).toEqual(model);
          expect(boundaries(buffer.text).has(buffer.caret)).toBe(true);
          expect(buffer.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('undoes back to nothing and redoes to the end', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.constantFrom('<', '>')), { maxLength: 40 }), (list) => {
        let buffer = EMPTY_BUFFER;
        for (const piece of list) {
          if (piece === '<') buffer = deleteBack(buffer);
          else if (piece === '>') buffer = moveLeft(buffer);
          else buffer = insert(buffer, piece);
        }
        const { text } = buffer;
        let back = buffer;
        while (back.undoStack.length > 0) back = undo(back);
        expect(back.text).toBe('');
        while (back.redoStack.length > 0) back = redo(back);
        expect(back.text).toBe(text);
      }),
    );
  });
});
