/**
 * One line that nobody sees: a key, a code. On a terminal nothing of it is shown; from a pipe its first line is read.
 * Invariant: raw mode is off again however it ends, and while the program is suspended (Ctrl+Z). Then the line is asked
 * for anew: nobody could see what was typed of it before.
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
const KEYS = {
  interrupt: '\u0003',
  end: '\u0004',
  clear: '\u0015',
  suspend: '\u001a',
  backspace: '\u007f',
} as const;

/** A stop does nothing without a shell that could continue the program: then it goes on after so many ms. */
const STOP_WAIT_MS = 150;

/**
 * Calls `ready` whenever nothing is shown any more: the time to ask for it, at first and after a stop.
 * Null when it was broken off: Ctrl+C, an empty Ctrl+D, the end of the input, or more than 8,192 letters.
 */
export function readMaskedLine(input: LineInput, ready: () => void): Promise<string | null> {
  return new Promise((resolve) => new MaskedLine(input, ready, resolve).begin());
}

class MaskedLine {
  readonly #input: LineInput;
  readonly #isTerminal: boolean;
  readonly #ready: () => void;
  readonly #resolve: (line: string | null) => void;
  #typed: Typed = NOTHING;
  #stopTimer: NodeJS.Timeout | null = null;

  constructor(input: LineInput, ready: () => void, resolve: (line: string | null) => void) {
    this.#input = input;
    this.#isTerminal = input.isTTY === true;
    this.#ready = ready;
    this.#resolve = resolve;
  }

  begin(): void {
    const input = this.#input;
    if (this.#isTerminal) {
      input.setRawMode?.(true);
      process.on('SIGCONT', this.#askAnew);
    }
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('error', this.#onEnd);
    input.ref?.();
    input.resume();
    this.#ready();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    for (const letter of chunk.toString()) {
      if (this.#isTerminal && letter === KEYS.suspend) {
        this.#suspend();
        return;
      }
      this.#typed = this.#isTerminal ? pressed(this.#typed, letter) : read(this.#typed, letter);
      if (this.#typed.isOver) {
        this.#settle();
        return;
      }
    }
  };

  readonly #onEnd = (): void => {
    this.#typed = { line: this.#isTerminal ? null : this.#typed.line || null, isOver: true };
    this.#settle();
  };

  /** Stops the whole job, as the terminal itself would: a wrapper such as npm must stop too, or no prompt comes. */
  #suspend(): void {
    this.#input.setRawMode?.(false);
    // After a stop, timers are called before signals are told: the signal has the first word.
    const goOn = (): void => {
      setImmediate(() => this.#stopTimer !== null && this.#askAnew());
    };
    this.#stopTimer = setTimeout(goOn, STOP_WAIT_MS);
    process.kill(0, 'SIGTSTP');
  }

  readonly #askAnew = (): void => {
    this.#clearStopTimer();
    this.#typed = NOTHING;
    // Off first: a shell changed the mode behind the back of the runtime, which remembers it as on.
    this.#input.setRawMode?.(false);
    this.#input.setRawMode?.(true);
    this.#ready();
  };

  #settle(): void {
    const input = this.#input;
    this.#clearStopTimer();
    process.off('SIGCONT', this.#askAnew);
    input.off('data', this.#onData);
    input.off('end', this.#onEnd);
    input.off('error', this.#onEnd);
    input.pause();
    // An open pipe would keep the process alive, although nobody reads it any more.
    input.unref?.();
    if (this.#isTerminal) input.setRawMode?.(false);
    this.#resolve(this.#typed.line);
  }

  #clearStopTimer(): void {
    if (this.#stopTimer !== null) clearTimeout(this.#stopTimer);
    this.#stopTimer = null;
  }
}

interface Typed {
  readonly line: string | null;
  readonly isOver: boolean;
}

const NOTHING: Typed = { line: '', isOver: false };
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
