/**
 * What the terminal told us, one event at a time.
 *
 * Invariants:
 * - a key with the name `char` is the only one that carries text, and the text is one code point, or what
 *   the terminal said that one key types;
 * - a terminal's reply is never a key;
 * - paste text holds no control character besides newline and tab.
 */

/** Keys that are not characters. */
export type NamedKey =
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'insert'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'pageup'
  | 'pagedown'
  | `f${number}`;

export interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

interface NamedPress extends Modifiers {
  readonly kind: 'key';
  readonly name: NamedKey;
}

interface CharPress extends Modifiers {
  readonly kind: 'key';
  readonly name: 'char';
  readonly text: string;
}

export type KeyPress = NamedPress | CharPress;

export interface PasteEvent {
  readonly kind: 'paste';
  readonly text: string;
}

export interface FocusEvent {
  readonly kind: 'focus';
  readonly focused: boolean;
}

/** An answer of the terminal to a question of ours. Colour channels are 0–255; rows and columns count from 1. */
export type TerminalReply =
  | {
      readonly kind: 'reply';
      readonly reply: 'device-attributes';
      readonly level: 1 | 2 | 3;
      readonly params: readonly number[];
    }
  | {
      readonly kind: 'reply';
      readonly reply: 'cursor-position';
      readonly row: number;
      readonly column: number;
    }
  | { readonly kind: 'reply'; readonly reply: 'kitty-flags'; readonly flags: number }
  | { readonly kind: 'reply'; readonly reply: 'mode'; readonly mode: number; readonly state: number }
  | {
      readonly kind: 'reply';
      readonly reply: 'colour';
      /** 10 is the text colour, 11 the background, 12 the cursor. */
      readonly slot: number;
      readonly rgb: readonly [red: number, green: number, blue: number];
    }
  | { readonly kind: 'reply'; readonly reply: 'colour-scheme'; readonly scheme: 'dark' | 'light' }
  | { readonly kind: 'reply'; readonly reply: 'terminal-version'; readonly text: string }
  | { readonly kind: 'reply'; readonly reply: 'other' };

export type KeyEvent = KeyPress | PasteEvent | FocusEvent | TerminalReply;

/** No modifier held. */
export const PLAIN: Modifiers = { ctrl: false, alt: false, shift: false };

/** Returns the press of a key that is not a character. */
export function namedKey(name: NamedKey, modifiers: Modifiers): KeyPress {
  return { kind: 'key', name, ctrl: modifiers.ctrl, alt: modifiers.alt, shift: modifiers.shift };
}

/** Returns the press of a key that stands for `text`. */
export function charKey(text: string, modifiers: Modifiers): KeyPress {
  return {
    kind: 'key',
    name: 'char',
    text,
    ctrl: modifiers.ctrl,
    alt: modifiers.alt,
    shift: modifiers.shift,
  };
}

/** Returns the same press with Alt held. */
export function withAlt(press: KeyPress): KeyPress {
  return { ...press, alt: true };
}

/** Returns what the event types into a text, or null when it types nothing (a command key, a reply, a paste). */
export function typedText(event: KeyEvent): string | null {
  if (event.kind !== 'key' || event.name !== 'char' || event.ctrl || event.alt) return null;
  return event.text;
}

/**
 * Returns the canonical spelling of a press, such as `ctrl+c`, `alt+shift+f`, `pageup`, `?`.
 * Modifiers come in the order ctrl, alt, shift. Shift is part of a plain character, so it is spelled only
 * together with ctrl or alt, where letters are then lower case.
 */
export function keySpelling(press: KeyPress): string {
  if (press.name !== 'char') {
    return spell(press.name, press);
  }
  if (!press.ctrl && !press.alt) return press.text === ' ' ? 'space' : press.text;
  const lower = press.text.toLowerCase();
  const base = lower === ' ' ? 'space' : lower;
  return spell(base, {
    ctrl: press.ctrl,
    alt: press.alt,
    shift: press.shift || lower !== press.text,
  });
}

function spell(base: string, { ctrl, alt, shift }: Modifiers): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${base}`;
}
