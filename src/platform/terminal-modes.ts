/**
 * The modes of the terminal that the program sets, and the bytes that set and reset them. Pure.
 *
 * Invariants:
 * - a mode is set at most once until it is reset;
 * - modes are reset in the reverse order, because richer key reports belong to the screen they were switched on for.
 */

export type TerminalMode =
  | 'alternate-screen'
  | 'bracketed-paste'
  | 'focus-reports'
  | 'kitty-keyboard'
  | 'hidden-cursor'
  /** The terminal says when its colours turn light or dark. */
  | 'scheme-reports'
  /** The window's title is put aside and comes back. */
  | 'own-title'
  | 'mouse';

const SET_BYTES: Readonly<Record<TerminalMode, string>> = {
  'alternate-screen': '\u001b[?1049h',
  'bracketed-paste': '\u001b[?2004h',
  'focus-reports': '\u001b[?1004h',
  'kitty-keyboard': '\u001b[>1u',
  'hidden-cursor': '\u001b[?25l',
  'scheme-reports': '\u001b[?2031h',
  'own-title': '\u001b[22;2t',
  mouse: '\u001b[?1000h\u001b[?1006h',
};

const RESET_BYTES: Readonly<Record<TerminalMode, string>> = {
  'alternate-screen': '\u001b[?1049l',
  'bracketed-paste': '\u001b[?2004l',
  'focus-reports': '\u001b[?1004l',
  'kitty-keyboard': '\u001b[<1u',
  'hidden-cursor': '\u001b[?25h',
  'scheme-reports': '\u001b[?2031l',
  // Emptied first: not every terminal keeps titles.
  'own-title': '\u001b]2;\u001b\\\u001b[23;2t',
  mouse: '\u001b[?1006l\u001b[?1000l',
};

/** Ends a half written frame: synchronised update off, colours off, cursor shown. Harmless when nothing is open. */
const SETTLE_BYTES = '\u001b[?2026l\u001b[0m\u001b[?25h';

/** Returns the bytes that set the modes, in order. */
export function setModes(modes: readonly TerminalMode[]): string {
  return modes.map((mode) => SET_BYTES[mode]).join('');
}

/** Returns the bytes that end a half written frame, reset the modes (the last one set first), and show the cursor. */
export function resetModes(modes: readonly TerminalMode[]): string {
  const resets = modes.toReversed().map((mode) => RESET_BYTES[mode]);
  return `${SETTLE_BYTES}${resets.join('')}`;
}

/** Returns the bytes for modes that may or may not still be set: what is kept on a stack is never pushed twice. */
export function reassertModes(modes: readonly TerminalMode[]): string {
  return modes.map((mode) => REASSERT_BYTES[mode] ?? SET_BYTES[mode]).join('');
}

const REASSERT_BYTES: Readonly<Partial<Record<TerminalMode, string>>> = {
  'kitty-keyboard': '\u001b[=1;1u',
  'own-title': '',
};
