/**
 * One line that nobody sees: a key, a code. On a terminal nothing of it is shown; from a pipe its first line is read.
 * Invariant: raw mode is off again however it ends.
 */
import type { Readable } from 'node:stream';

/** The part of a terminal that is needed. */
export interface LineInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

const MAX_LETTERS = 8_192;
const ENTER = /[\r\n]/;
const KEYS = { interrupt: '\u0003', end: '\u0004', backspace: '\u007f', clear: '\u0015' } as const;

/**
 * Calls `ready` once nothing is shown any more: the time to ask for it.
 * Null when it was broken off: Ctrl+C, an empty Ctrl+D, the end of the input, or more than 8,192 letters.
 */
export function readMaskedLine(input: LineInput, ready: () => void): Promise<string | null> {
  return new Promise((resolve) => {
    const isTerminal = input.isTTY === true;
    let typed: Typed = { line: '', isOver: false };
    const settle = (): void => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.off('error', onEnd);
      input.pause();
      // An open pipe would keep the process alive, although nobody reads it any more.
      input.unref?.();
      if (isTerminal) input.setRawMode?.(false);
      resolve(typed.line);
    };
    const onEnd = (): void => {
      typed = { line: isTerminal ? null : typed.line || null, isOver: true };
      settle();
    };
    const onData = (chunk: Buffer | string): void => {
      for (const letter of chunk.toString()) {
        typed = isTerminal ? pressed(typed, letter) : read(typed, letter);
        if (typed.isOver) break;
      }
      if (typed.isOver) settle();
    };
    if (isTerminal) input.setRawMode?.(true);
    input.on('data', onData);
    input.on('end', onEnd);
    input.on('error', onEnd);
    input.ref?.();
    input.resume();
    ready();
  });
}

interface Typed {
  readonly line: string | null;
  readonly isOver: boolean;
}

const BROKEN_OFF: Typed = { line: null, isOver: true };

function read({ line }: Typed, letter: string): Typed {
  if (ENTER.test(letter)) return { line, isOver: true };
  return line === null || line.length >= MAX_LETTERS ? BROKEN_OFF : { line: line + letter, isOver: false };
}

function pressed(typed: Typed, letter: string): Typed {
  const line = typed.line ?? '';
  if (letter === KEYS.interrupt || (letter === KEYS.end && line === '')) return BROKEN_OFF;
  if (letter === KEYS.clear) return { line: '', isOver: false };
  if (letter === KEYS.backspace) return { line: [...line].slice(0, -1).join(''), isOver: false };
  return letter >= ' ' || ENTER.test(letter) ? read(typed, letter) : typed;
}
