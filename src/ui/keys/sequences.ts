/** Keys that arrive as CSI or SS3 sequences: xterm, VT, kitty (CSI u) and modifyOtherKeys (CSI 27;m;c~). */
import type { CsiSequence } from './csi.ts';
import { charKey, type KeyPress, type Modifiers, type NamedKey, namedKey, PLAIN } from './key-event.ts';

const LETTER_KEYS: ReadonlyMap<string, NamedKey> = new Map<string, NamedKey>([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['F', 'end'],
  ['H', 'home'],
  ['P', 'f1'],
  ['Q', 'f2'],
  ['R', 'f3'],
  ['S', 'f4'],
]);

const TILDE_KEYS: ReadonlyMap<number, NamedKey> = new Map<number, NamedKey>([
  [1, 'home'],
  [2, 'insert'],
  [3, 'delete'],
  [4, 'end'],
  [5, 'pageup'],
  [6, 'pagedown'],
  [7, 'home'],
  [8, 'end'],
  [11, 'f1'],
  [12, 'f2'],
  [13, 'f3'],
  [14, 'f4'],
  [15, 'f5'],
  [17, 'f6'],
  [18, 'f7'],
  [19, 'f8'],
  [20, 'f9'],
  [21, 'f10'],
  [23, 'f11'],
  [24, 'f12'],
  [25, 'f13'],
  [26, 'f14'],
  [28, 'f15'],
  [29, 'f16'],
  [31, 'f17'],
  [32, 'f18'],
  [33, 'f19'],
  [34, 'f20'],
]);

/** Code points that a terminal reports for keys that are not characters (kitty's list, and the C0 ones). */
const CODE_KEYS: ReadonlyMap<number, NamedKey> = new Map<number, NamedKey>([
  [8, 'backspace'],
  [9, 'tab'],
  [10, 'enter'],
  [13, 'enter'],
  [27, 'escape'],
  [127, 'backspace'],
  [57414, 'enter'],
  [57417, 'left'],
  [57418, 'right'],
  [57419, 'up'],
  [57420, 'down'],
  [57421, 'pageup'],
  [57422, 'pagedown'],
  [57423, 'home'],
  [57424, 'end'],
  [57425, 'insert'],
  [57426, 'delete'],
]);

const KEYPAD_CODES_START = 57399;
const KEYPAD_CHARACTERS = '0123456789./*-+';
const F13_CODE = 57376;
const F35_CODE = 57398;
const RELEASE = 3;

const SS3_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['j', '*'],
  ['k', '+'],
  ['l', ','],
  ['m', '-'],
  ['n', '.'],
  ['o', '/'],
  ['X', '='],
  ...[...'pqrstuvwxy'].map((letter, digit): [string, string] => [letter, String(digit)]),
]);

/** Returns the key press that a CSI sequence stands for, or null when it stands for none (a release, unknown). */
export function keyFromCsi(sequence: CsiSequence): KeyPress | null {
  if (sequence.prefix !== '' || sequence.intermediates !== '') return null;
  const code = param(sequence, 0);
  const held = modifiersOf(sequence, 1);
  if (held === null) return null;
  switch (sequence.final) {
    case 'u':
      return kittyKey(sequence, held);
    case '~': {
      if (code === 27) return otherKey(sequence);
      const name = TILDE_KEYS.get(code);
      return name === undefined ? null : namedKey(name, held);
    }
    case 'Z':
      return namedKey('tab', { ...held, shift: true });
    default: {
      const name = LETTER_KEYS.get(sequence.final);
      return name === undefined ? null : namedKey(name, held);
    }
  }
}

/** Returns the key press that `ESC O final` stands for, or null. */
export function keyFromSs3(final: string): KeyPress | null {
  const name = final === 'M' ? 'enter' : LETTER_KEYS.get(final);
  if (name !== undefined) return namedKey(name, PLAIN);
  const character = SS3_CHARACTERS.get(final);
  return character === undefined ? null : charKey(character, PLAIN);
}

/** Returns the function key of the Linux console, `ESC [ [ final`, or null. */
export function keyFromLinuxConsole(final: string): KeyPress | null {
  const index = 'ABCDE'.indexOf(final);
  return index < 0 ? null : namedKey(`f${index + 1}`, PLAIN);
}

function param(sequence: CsiSequence, index: number): number {
  return sequence.params[index]?.[0] ?? 0;
}

/** Returns the modifiers in a parameter; null when the event is a key's release or Super or Hyper is held. */
function modifiersOf(sequence: CsiSequence, index: number): Modifiers | null {
  if (sequence.params[index]?.[1] === RELEASE) return null;
  const bits = Math.max(param(sequence, index), 1) - 1;
  if ((bits & 0b11000) !== 0) return null;
  return { shift: (bits & 1) !== 0, alt: (bits & 0b100010) !== 0, ctrl: (bits & 4) !== 0 };
}

function otherKey(sequence: CsiSequence): KeyPress | null {
  const held = modifiersOf(sequence, 1);
  return held === null ? null : keyFromCode(param(sequence, 2), undefined, held);
}

function kittyKey(sequence: CsiSequence, held: Modifiers): KeyPress | null {
  const code = param(sequence, 0);
  const shifted = sequence.params[0]?.[1];
  const press = keyFromCode(code, shifted, held);
  if (press?.name !== 'char' && press !== null) return press;
  const text = textOf(sequence.params[2] ?? []);
  // A layout's third level (AltGr) is reported as Ctrl and Alt: the text says that a character was meant.
  // Alt alone types when the text is not the key's own letter (Option on a Mac).
  const isTyped = (held.ctrl && held.alt) || (!held.ctrl && text !== press?.text);
  return text !== '' && isTyped ? charKey(text, PLAIN) : press;
}

function textOf(codes: readonly (number | undefined)[]): string {
  return codes.map((code) => characterOf(code ?? 0)).join('');
}

function keyFromCode(code: number, shiftedCode: number | undefined, held: Modifiers): KeyPress | null {
  const name = CODE_KEYS.get(code);
  if (name !== undefined) return namedKey(name, held);
  if (code >= F13_CODE && code <= F35_CODE) return namedKey(`f${13 + code - F13_CODE}`, held);
  const keypad = KEYPAD_CHARACTERS[code - KEYPAD_CODES_START];
  if (keypad !== undefined) return charKey(keypad, held);
  if (code === 57415) return charKey('=', held);
  const base = characterOf(code);
  if (base === '' || isPrivateUse(code)) return null;
  if (!held.shift) return charKey(base, held);
  return charKey((shiftedCode === undefined ? '' : characterOf(shiftedCode)) || upperOf(base), held);
}

/** Returns a printable character, or an empty string. */
function characterOf(code: number): string {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code > 0x10ffff) return '';
  if (code >= 0xd800 && code <= 0xdfff) return '';
  return String.fromCodePoint(code);
}

function upperOf(text: string): string {
  const upper = text.toUpperCase();
  return upper.length === text.length ? upper : text;
}

function isPrivateUse(code: number): boolean {
  return code >= 0xe000 && code <= 0xf8ff;
}
