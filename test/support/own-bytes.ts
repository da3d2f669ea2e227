/**
 * What this program may write to a terminal: its own short list of sequences. Anything else in its output came from
 * a text that should have been inert.
 *
 * The list: colours and weights, cursor moves, erasing (never what has scrolled away), frames written as one, the modes
 * that are given back at the end, the window's title in fixed words, links, and the question for the background.
 */

/** What is written only when somebody asked for it. */
export type Extra = 'clipboard' | 'bell' | 'picture';

const MODES = new Set(['25', '1004', '1049', '2004', '2026', '2031']);
/** Richer key reports, the title's stack, and the device question that ends the questions. */
const WHOLE_CSI = new Set(['>1u', '<1u', '=1;1u', '22;2t', '23;2t', 'c']);
const TITLE = /^(?:|[^\u0000-\u001f]* · magi-term(?: · (?:working|asks you))?)$/;
const LINK = /^8;;(?:(?:https?|mailto|file):[\u0021-\u007e]*)?$/;
const PICTURE = /^\u001b_G(?:[a-zA-Z]=\w+,?)+(?:;[A-Za-z0-9+/=]*)?\u001b\\$/;
const COPY = /^52;c;[A-Za-z0-9+/=]*$/;

/** A control sequence, whole or cut off; a control character; a character that no reader can see. */
const CONTROLS =
  /(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]?|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[\s\S]?|[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Returns every sequence and control character of the bytes that is not on the list, readable, in order. */
export function foreignSequences(bytes: string, extras: readonly Extra[] = []): readonly string[] {
  return [...bytes.matchAll(CONTROLS)].flatMap(({ 0: found, index }) =>
    isOwn(found, extras) ? [] : [`${JSON.stringify(found)} at ${index}`],
  );
}

function isOwn(found: string, extras: readonly Extra[]): boolean {
  if (found === '\r' || found === '\n') return true;
  if (found === '\u0007') return extras.includes('bell');
  if (found.startsWith('\u001b_')) return extras.includes('picture') && PICTURE.test(found);
  if (found.startsWith('\u001b[')) return isOwnCsi(found.slice(2));
  const [, command = '', end = ''] = /^\u001b\]([\s\S]*?)(\u0007|\u001b\\)$/.exec(found) ?? [];
  if (COPY.test(command)) return end !== '' && extras.includes('clipboard');
  if (end !== '\u001b\\') return false;
  if (command.startsWith('2;')) return TITLE.test(command.slice(2));
  return command === '11;?' || LINK.test(command);
}

function isOwnCsi(body: string): boolean {
  if (WHOLE_CSI.has(body)) return true;
  const [, parameters = '', final = ''] = /^([\d;?]*)([A-Za-z])$/.exec(body) ?? [];
  switch (final) {
    case 'm':
      return /^[\d;]*$/.test(parameters);
    case 'h':
    case 'l':
      return parameters.startsWith('?') && MODES.has(parameters.slice(1));
    case 'A':
    case 'B':
    case 'C':
    case 'D':
    case 'E':
    case 'G':
      return /^\d*$/.test(parameters);
    case 'H':
      return /^(?:\d*;?\d*)$/.test(parameters);
    case 'J':
      return /^0?$/.test(parameters);
    case 'K':
      return /^[012]?$/.test(parameters);
    default:
      return false;
  }
}
