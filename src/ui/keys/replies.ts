/** Answers of the terminal, told apart from keys by their shape. None of them may ever become text. */
import type { CsiSequence } from './csi.ts';
import type { FocusEvent, TerminalReply } from './key-event.ts';

const OTHER: TerminalReply = { kind: 'reply', reply: 'other' };

/** Returns the reply or focus report that a CSI sequence is, or null when it is not one. */
export function replyFromCsi(sequence: CsiSequence): TerminalReply | FocusEvent | null {
  const { prefix, intermediates, final } = sequence;
  const params = sequence.params.map((parts) => parts[0] ?? 0);
  const [first = 0, second = 0] = params;
  if (final === 'I' && prefix === '' && sequence.isBare) return { kind: 'focus', focused: true };
  if (final === 'O' && prefix === '' && sequence.isBare) return { kind: 'focus', focused: false };
  if (final === 'c' && prefix !== '') {
    const level = prefix === '?' ? 1 : prefix === '>' ? 2 : 3;
    return { kind: 'reply', reply: 'device-attributes', level, params };
  }
  if (final === 'R' && !sequence.isBare) {
    return { kind: 'reply', reply: 'cursor-position', row: first, column: second };
  }
  if (final === 'u' && prefix === '?') return { kind: 'reply', reply: 'kitty-flags', flags: first };
  if (final === 'y' && intermediates === '$') {
    return { kind: 'reply', reply: 'mode', mode: first, state: second };
  }
  if (final === 'n' && prefix === '?' && first === 997 && (second === 1 || second === 2)) {
    return { kind: 'reply', reply: 'colour-scheme', scheme: second === 1 ? 'dark' : 'light' };
  }
  if (final === 'n' || final === 'y' || final === 'c' || final === 't' || final === 'x') return OTHER;
  return null;
}

/** Returns the reply that the body of an OSC sequence is. */
export function replyFromOsc(body: string): TerminalReply {
  const match = /^(1[0-9]);(.*)$/s.exec(body);
  const rgb = parseColour(match?.[2] ?? '');
  if (match === null || rgb === null) return OTHER;
  return { kind: 'reply', reply: 'colour', slot: Number(match[1]), rgb };
}

/** Returns the reply that the body of a DCS sequence is. */
export function replyFromDcs(body: string): TerminalReply {
  if (!body.startsWith('>|')) return OTHER;
  return { kind: 'reply', reply: 'terminal-version', text: body.slice(2) };
}

/** Returns the reply that the body of an APC sequence is. */
export function replyFromApc(): TerminalReply {
  return OTHER;
}

/** Returns the colour of an XParseColor `rgb:` or `rgba:` specification, channels 0–255, or null. */
function parseColour(value: string): readonly [number, number, number] | null {
  const match = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(value);
  const [, red, green, blue] = match ?? [];
  if (red === undefined || green === undefined || blue === undefined) return null;
  return [channel(red), channel(green), channel(blue)];
}

function channel(hex: string): number {
  return Math.round((Number.parseInt(hex, 16) / (16 ** hex.length - 1)) * 255);
}
