import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { revealHidden, sanitise, sanitiseLine } from '../../src/render/sanitise.ts';
import { hostileText } from './text-arbitraries.ts';

const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}';

describe('sanitise', () => {
  const cases: readonly [name: string, input: string, output: string][] = [
    ['plain text', 'a b\n\tc', 'a b\n\tc'],
    ['title, BEL', 'a\u001b]0;owned\u0007b', 'ab'],
    ['title, ST', 'a\u001b]0;owned\u001b\\b', 'ab'],
    ['title, 8-bit', 'a\u009d0;owned\u009cb', 'ab'],
    ['title, unterminated', 'a\u001b]0;owned\nb', 'a\nb'],
    ['title, unterminated at the end', 'a\u001b]0;owned', 'a'],
    ['title, aborted by another sequence', 'a\u001b]0;x\u001b[31mb', 'ab'],
    ['link', '\u001b]8;;http://x\u0007label\u001b]8;;\u0007', 'label'],
    ['clipboard', 'a\u001b]52;c;aGk=\u0007b', 'ab'],
    ['screen clear', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['cursor up and erase', 'a\u001b[1A\u001b[2Kb', 'ab'],
    ['alternate screen', 'a\u001b[?1049hb', 'ab'],
    ['colour', '\u001b[1;31mred\u001b[0m', 'red'],
    ['DCS', 'a\u001bP1$r0m\u001b\\b', 'ab'],
    ['DCS, 8-bit', 'a\u0090payload\u009cb', 'ab'],
    ['APC, PM, SOS', '\u001b_a\u001b\\1\u001b^b\u001b\\2\u001bXc\u001b\\3', '123'],
    ['APC, PM, SOS, 8-bit', '\u009fa\u009c1\u009eb\u009c2\u0098c\u009c3', '123'],
    ['8-bit CSI', 'a\u009b31mb', 'ab'],
    ['CSI, unterminated', 'a\u001b[31', 'a'],
    ['CSI, interrupted', 'a\u001b[3\n1mb', 'a\n1mb'],
    ['lone ESC', 'a\u001b', 'a'],
    ['ESC ESC', 'a\u001b\u001b[31mb', 'ab'],
    ['reset, charset', '\u001bca\u001b(0b', 'ab'],
    ['BEL, BS, NUL, DEL', 'a\u0007b\u0008c\u0000d\u007fe', 'abcde'],
    ['CR', 'a\r\nb\rc', 'a\nb\nc'],
    ['Unicode line ends', 'a\u2028b\u2029c', 'a\nb\nc'],
    ['C1', 'a\u0085\u0084b', 'ab'],
    ['bidi', 'a\u202eb\u2066c\u200fd\u061ce', 'abcde'],
    ['zero width', 'a\u200bb\u2060c\ufeffd', 'abcd'],
    ['tag characters', 'a\u{e0041}\u{e007f}b', 'ab'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
    ['family', FAMILY, FAMILY],
    [
      'heart, keycap',
      '\u2764\ufe0f\u200d\u{1f525} 1\ufe0f\u20e3',
      '\u2764\ufe0f\u200d\u{1f525} 1\ufe0f\u20e3',
    ],
    ['joiner between ASCII letters', 'pay\u200dpal', 'paypal'],
    ['joiners at the edges', '\u200d\u{1f468}\u200d', '\u{1f468}'],
    ['hidden selectors', 'a\ufe0f\ufe01\u{e0100}b', 'a\ufe0fb'],
    ['Persian joiner', '\u0645\u06cc\u200c\u062e', '\u0645\u06cc\u200c\u062e'],
  ];
  test.each(cases)('%s', (_name, input, output) => {
    expect(sanitise(input)).toBe(output);
  });

  const forbidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

  test('leaves nothing that acts, also when cut anywhere, and settles at once', () => {
    fc.assert(
      fc.property(hostileText, fc.nat(), (text, at) => {
        const cut = at % (text.length + 1);
        const joined = sanitise(text.slice(0, cut)) + sanitise(text.slice(cut));
        expect(joined).not.toMatch(forbidden);
        expect(sanitise(text)).not.toMatch(forbidden);
        expect(sanitise(sanitise(text))).toBe(sanitise(text));
      }),
    );
  });

  test('works line by line', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (a, b) => {
        expect(sanitise(`${a}\n${b}`)).toBe(sanitise(`${a}\n`) + sanitise(b));
      }),
    );
  });
});

test('sanitiseLine', () => {
  expect(sanitiseLine('a\r\n\tb\u001b[2Jc\nd')).toBe('a bc d');
});

describe('revealHidden', () => {
  const cases: readonly [input: string, output: string][] = [
    ['rm -rf a', 'rm -rf a'],
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['a\u001b[31mb', 'a⟨U+001B⟩[31mb'],
    ['a\r\nb\tc', 'a⟨U+000D⟩\nb\tc'],
    ['a\u200bb\u00a0c', 'a⟨U+200B⟩b⟨U+00A0⟩c'],
    ['pay\u200dpal', 'pay⟨U+200D⟩pal'],
    [FAMILY, FAMILY],
    ['\ud800', '⟨U+D800⟩'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['é 漢 \u3164', 'é 漢 ⟨U+3164⟩'],
  ];
  test.each(cases)('%j', (input, output) => {
    expect(revealHidden(input)).toBe(output);
  });

  test('is inert', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(sanitise(revealHidden(text))).toBe(revealHidden(text));
      }),
    );
  });
});
