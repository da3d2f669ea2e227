/** The bytes that a common terminal sends for a key. */

const NAMED = {
  enter: '\r',
  newline: '\n',
  escape: '\u001b',
  tab: '\t',
  'shift+tab': '\u001b[Z',
  backspace: '\u007f',
  delete: '\u001b[3~',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  pageup: '\u001b[5~',
  pagedown: '\u001b[6~',
  f1: '\u001bOP',
  f2: '\u001bOQ',
  f6: '\u001b[17~',
  f7: '\u001b[18~',
  f8: '\u001b[19~',
  f3: '\u001bOR',
  f4: '\u001bOS',
  f5: '\u001b[15~',
  f9: '\u001b[20~',
  f10: '\u001b[21~',
  f12: '\u001b[24~',
  'alt+enter': '\u001b\r',
  'alt+m': '\u001bm',
  'alt+up': '\u001b[1;3A',
  'alt+down': '\u001b[1;3B',
  'shift+up': '\u001b[1;2A',
  'shift+down': '\u001b[1;2B',
  'ctrl+up': '\u001b[1;5A',
  'ctrl+down': '\u001b[1;5B',
  'ctrl+left': '\u001b[1;5D',
  'ctrl+right': '\u001b[1;5C',
  'ctrl+home': '\u001b[1;5H',
  'ctrl+end': '\u001b[1;5F',
} as const;

type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'k' | 'l' | 'n' | 'o' | 'p')
  | ('q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');

export type PressName = keyof typeof NAMED | `ctrl+${Letter}` | `alt+${Letter}`;

/** Returns the bytes of a key. */
export function keyBytes(name: PressName): string {
  for (const [key, bytes] of Object.entries(NAMED)) if (key === name) return bytes;
  const letter = name.slice(-1);
  return name.startsWith('alt+') ? `\u001b${letter}` : String.fromCharCode(letter.charCodeAt(0) - 0x60);
}
