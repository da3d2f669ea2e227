import fc from 'fast-check';

/** Characters and pieces that break naive code: wide, joined, combining, hidden, controls, lone surrogates. */
const PIECES = [
  'word',
  'a',
  ' ',
  '  ',
  '\n',
  '\t',
  '漢字',
  'é',
  'e\u0301',
  '\u27a1',
  '\u27a1\ufe0f',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u{1f1eb}\u{1f1f7}',
  '\u{1f44d}\u{1f3fd}',
  '\u1100\u1161\u11a8',
  '\u0915\u094d\u0937\u093f',
  '\uff76\uff9e',
  'https://example.org/a/rather/long/address',
];

const HOSTILE = [
  ...PIECES,
  '\u001b',
  '\u001b[',
  '31m',
  '\u001b]0;x',
  '\u001b]8;;http://x\u0007',
  '\u001b\\',
  '\u0007',
  '\u009b',
  '\u009d',
  '\u0090',
  '\u009c',
  '\r',
  '\r\n',
  '\u0000',
  '\u0008',
  '\u202e',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\u{e0100}',
  '\u{e0041}',
  '\ufeff',
  '\ud83d',
  '\udc00',
  '\u2028',
];

/** Well-formed, inert text with every kind of width. */
export const niceText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 3 })), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));

/** Text that tries to drive the terminal. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 2 })), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''));
