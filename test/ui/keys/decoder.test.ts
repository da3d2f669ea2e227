import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyDecoder } from '../../../src/ui/keys/decoder.ts';
import {
  charKey,
  type KeyEvent,
  type Modifiers,
  namedKey,
  PLAIN,
  typedText,
} from '../../../src/ui/keys/key-event.ts';

const held = (modifiers: Partial<Modifiers>): Modifiers => ({ ...PLAIN, ...modifiers });
const CTRL = held({ ctrl: true });
const ALT = held({ alt: true });
const SHIFT = held({ shift: true });
const bytesOf = (text: string) => Buffer.from(text, 'utf8');
const char = (text: string) => charKey(text, PLAIN);
const other: KeyEvent = { kind: 'reply', reply: 'other' };

function decodeWhole(bytes: Uint8Array): KeyEvent[] {
  const decoder = new KeyDecoder();
  return [...decoder.feed(bytes), ...decoder.flush()];
}

function decodeCut(bytes: Uint8Array, cuts: readonly number[]): KeyEvent[] {
  const decoder = new KeyDecoder();
  const events: KeyEvent[] = [];
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of places) {
    events.push(...decoder.feed(bytes.subarray(from, to)));
    from = to;
  }
  return [...events, ...decoder.flush()];
}

function decodeByteByByte(bytes: Uint8Array): KeyEvent[] {
  return decodeCut(
    bytes,
    Array.from(bytes, (_, index) => index),
  );
}

const CASES: readonly (readonly [name: string, input: string, events: readonly KeyEvent[]])[] = [
  ['letters', 'aB1 ', [char('a'), char('B'), char('1'), char(' ')]],
  ['a letter and Enter in one read', 'x\r', [char('x'), namedKey('enter', PLAIN)]],
  [
    'several keys in one read',
    '\u001b[B\u001b[B\u001b[B\r',
    [namedKey('down', PLAIN), namedKey('down', PLAIN), namedKey('down', PLAIN), namedKey('enter', PLAIN)],
  ],
  ['letters beyond ASCII', '@{łé漢😀', ['@', '{', 'ł', 'é', '漢', '😀'].map(char)],
  ['LF is Ctrl+J', '\n', [charKey('j', CTRL)]],
  ['ESC CR is Alt+Enter', '\u001b\r', [namedKey('enter', ALT)]],
  ['CSI u Shift+Enter', '\u001b[13;2u', [namedKey('enter', SHIFT)]],
  ['modifyOtherKeys Shift+Enter', '\u001b[27;2;13~', [namedKey('enter', SHIFT)]],
  ['modifyOtherKeys Ctrl+A', '\u001b[27;5;97~', [charKey('a', CTRL)]],
  ['Ctrl+letters', '\u0001\u0003\u001a', ['a', 'c', 'z'].map((letter) => charKey(letter, CTRL))],
  ['Ctrl+Space', '\u0000', [charKey(' ', CTRL)]],
  ['Ctrl+_', '\u001f', [charKey('_', CTRL)]],
  ['0x7F and 0x08 delete back', '\u007f\b', [namedKey('backspace', PLAIN), namedKey('backspace', PLAIN)]],
  ['CSI 3~ deletes forward', '\u001b[3~', [namedKey('delete', PLAIN)]],
  ['Tab and Shift+Tab', '\t\u001b[Z', [namedKey('tab', PLAIN), namedKey('tab', SHIFT)]],
  ['arrows, CSI and SS3', '\u001b[A\u001bOA', [namedKey('up', PLAIN), namedKey('up', PLAIN)]],
  ['Ctrl+Right', '\u001b[1;5C', [namedKey('right', CTRL)]],
  [
    'Alt+Up by modifier and by prefix',
    '\u001b[1;3A\u001b\u001b[A',
    [namedKey('up', ALT), namedKey('up', ALT)],
  ],
  ['pages', '\u001b[5~\u001b[6;2~', [namedKey('pageup', PLAIN), namedKey('pagedown', SHIFT)]],
  ['Home, End', '\u001b[H\u001b[4~', [namedKey('home', PLAIN), namedKey('end', PLAIN)]],
  [
    'function keys',
    '\u001bOP\u001b[12~\u001b[24~',
    [namedKey('f1', PLAIN), namedKey('f2', PLAIN), namedKey('f12', PLAIN)],
  ],
  ['Linux console F1', '\u001b[[A', [namedKey('f1', PLAIN)]],
  ['keypad Enter', '\u001bOM', [namedKey('enter', PLAIN)]],
  ['Alt+letter', '\u001bb\u001bF', [charKey('b', ALT), charKey('F', ALT)]],
  ['Alt+letter beyond ASCII', '\u001bé', [charKey('é', ALT)]],
  ['Alt+Backspace', '\u001b\u007f', [namedKey('backspace', ALT)]],
  ['Alt+] before a letter', '\u001b]x', [charKey(']', ALT), char('x')]],
  ['lone ESC', '\u001b', [namedKey('escape', PLAIN)]],
  ['ESC ESC', '\u001b\u001b', [namedKey('escape', PLAIN), namedKey('escape', PLAIN)]],
  ['kitty Escape', '\u001b[27u', [namedKey('escape', PLAIN)]],
  ['kitty Ctrl+C', '\u001b[99;5u', [charKey('c', CTRL)]],
  ['kitty Ctrl+Shift+A', '\u001b[97;6u', [charKey('A', held({ ctrl: true, shift: true }))]],
  ['kitty with Caps Lock and Num Lock', '\u001b[97;193u', [char('a')]],
  ['kitty repeat', '\u001b[97;5:2u', [charKey('a', CTRL)]],
  ['kitty release is no press', '\u001b[97;5:3u\u001b[1;1:3A', []],
  ['kitty modifier key alone', '\u001b[57441;2u', []],
  ['Super is not ours', '\u001b[99;9u', []],
  ['AltGr reported as Ctrl+Alt with text', '\u001b[113;7;64u', [char('@')]],
  ['AltGr ł with text', '\u001b[108;7;322u', [char('ł')]],
  ['Option with text', '\u001b[97;3;229u', [char('å')]],
  ['Alt with its own text stays Alt', '\u001b[97;3;97u', [charKey('a', ALT)]],
  ['Ctrl+Alt without text stays a chord', '\u001b[97;7u', [charKey('a', held({ ctrl: true, alt: true }))]],
  ['kitty shifted key', '\u001b[97:65;2;65u', [charKey('A', SHIFT)]],
  [
    'focus',
    '\u001b[I\u001b[O',
    [
      { kind: 'focus', focused: true },
      { kind: 'focus', focused: false },
    ],
  ],
  [
    'device attributes',
    '\u001b[?62;22c\u001b[>1;10;0c',
    [
      { kind: 'reply', reply: 'device-attributes', level: 1, params: [62, 22] },
      { kind: 'reply', reply: 'device-attributes', level: 2, params: [1, 10, 0] },
    ],
  ],
  ['cursor report', '\u001b[12;40R', [{ kind: 'reply', reply: 'cursor-position', row: 12, column: 40 }]],
  ['kitty flags', '\u001b[?1u', [{ kind: 'reply', reply: 'kitty-flags', flags: 1 }]],
  ['mode report', '\u001b[?2026;2$y', [{ kind: 'reply', reply: 'mode', mode: 2026, state: 2 }]],
  ['colour scheme', '\u001b[?997;1n', [{ kind: 'reply', reply: 'colour-scheme', scheme: 'dark' }]],
  [
    'colour, ended by ST and by BEL',
    '\u001b]11;rgb:1e1e/2020/ffff\u001b\\\u001b]10;rgb:f/0/8\u0007',
    [
      { kind: 'reply', reply: 'colour', slot: 11, rgb: [30, 32, 255] },
      { kind: 'reply', reply: 'colour', slot: 10, rgb: [255, 0, 136] },
    ],
  ],
  [
    'version',
    '\u001bP>|WezTerm 2026\u001b\\',
    [{ kind: 'reply', reply: 'terminal-version', text: 'WezTerm 2026' }],
  ],
  ['other strings', '\u001bP1+r5463\u001b\\\u001b_Gi=1;OK\u001b\\', [other, other]],
  ['mouse reports are swallowed', '\u001b[<0;10;5M\u001b[<0;10;5m', []],
  ['unknown CSI is swallowed', '\u001b[1;2;3;4zq', [char('q')]],
  ['a CSI broken by a control byte', '\u001b[1;\rq', [namedKey('enter', PLAIN), char('q')]],
  ['a CSI broken by another one', '\u001b[1\u001b[A', [namedKey('up', PLAIN)]],
  ['a string broken by Enter', '\u001b]11;rgb\r', [namedKey('enter', PLAIN)]],
  ['C1 controls are no keys', '\u009bA', [char('A')]],
  [
    'paste whole',
    '\u001b[200~one\r\nt\u001bw\u0007o\rthree\n\tfour\n\n/quit\n!rm\u001b[201~\r',
    [{ kind: 'paste', text: 'one\ntwo\nthree\n\tfour\n\n/quit\n!rm' }, namedKey('enter', PLAIN)],
  ],
  [
    'paste with most of an end marker in it',
    '\u001b[200~a\u001b[201x\u001b\u001b[20\u001b[201~',
    [{ kind: 'paste', text: 'a[201x[20' }],
  ],
  ['empty paste', '\u001b[200~\u001b[201~', [{ kind: 'paste', text: '' }]],
  ['paste keeps a mark of byte order', '\u001b[200~\ufeffa\u001b[201~', [{ kind: 'paste', text: '\ufeffa' }]],
  ['paste without an end', '\u001b[200~abc', [{ kind: 'paste', text: 'abc' }]],
  ['stray end of paste', '\u001b[201~a', [char('a')]],
  [
    'Escape before a paste',
    '\u001b\u001b[200~a\u001b[201~',
    [namedKey('escape', PLAIN), { kind: 'paste', text: 'a' }],
  ],
];

describe('KeyDecoder (FC-06, FC-08)', () => {
  it.each(CASES)('%s', (_name, input, events) => {
    expect(decodeWhole(bytesOf(input))).toEqual(events);
    expect(decodeByteByByte(bytesOf(input))).toEqual(events);
  });

  it.each([
    ['a lone continuation', [0x80], ['\ufffd']],
    ['an overlong form', [0xc0, 0xaf], ['\ufffd', '\ufffd']],
    ['a surrogate', [0xed, 0xa0, 0x80], ['\ufffd', '\ufffd', '\ufffd']],
    ['a cut character, then a letter', [0xe6, 0xbc, 0x61], ['\ufffd', 'a']],
    ['a cut character at the end', [0xf0, 0x9f], ['\ufffd']],
    ['a byte that never occurs', [0xff, 0x62], ['\ufffd', 'b']],
  ])('invalid UTF-8: %s', (_name, bytes, texts) => {
    expect(decodeWhole(Uint8Array.from(bytes))).toEqual(texts.map(char));
    expect(decodeByteByByte(Uint8Array.from(bytes))).toEqual(texts.map(char));
  });

  it('says what it waits for', () => {
    const pendingAfter = (input: string | Uint8Array) => {
      const decoder = new KeyDecoder();
      decoder.feed(typeof input === 'string' ? bytesOf(input) : input);
      return decoder.pending();
    };
    expect(
      ['a', '\u001b', '\u001b\u001b', '\u001b]', '\u001b[', '\u001b[1;', '\u001b]11;r', '\u001b[200~a'].map(
        pendingAfter,
      ),
    ).toEqual(['none', 'escape', 'escape', 'escape', 'sequence', 'sequence', 'sequence', 'paste']);
    expect(pendingAfter(Uint8Array.from([0xe6]))).toBe('sequence');
  });

  it.each([
    ['\u001b[', [charKey('[', ALT)]],
    ['\u001bO', [charKey('O', ALT)]],
    ['\u001b_', [charKey('_', ALT)]],
    ['\u001bP', [charKey('P', ALT)]],
    ['\u001b[1;', []],
    ['\u001b]11;rgb:1e', []],
  ])('settles %j', (input, events) => {
    expect(decodeWhole(bytesOf(input))).toEqual(events);
  });

  it('hands a paste on in pieces of whole characters when it is too long', () => {
    const decoder = new KeyDecoder({ pasteLimitBytes: 10 });
    const text = 'ab漢字\r\nxyz😀'.repeat(20);
    const events = decoder.feed(bytesOf(`\u001b[200~${text}\u001b[201~`));
    const texts = events.map((event) => (event.kind === 'paste' ? event.text : '?'));
    expect(texts.join('')).toBe(text.replaceAll('\r\n', '\n'));
    expect(texts.every((piece) => Buffer.byteLength(piece) <= 14)).toBe(true);
    expect(decoder.pending()).toBe('none');
  });

  it('stays bounded within endless sequences', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(bytesOf(`\u001b[${'1;'.repeat(100_000)}A`))).toEqual([]);
    expect(decoder.feed(bytesOf(`\u001b]11;${'x'.repeat(100_000)}\u0007`))).toEqual([other]);
    expect(decoder.feed(bytesOf('a'))).toEqual([char('a')]);
  });

  const parts = fc.oneof(
    fc.constantFrom(...CASES.map(([, input]) => bytesOf(input))),
    fc.uint8Array({ maxLength: 6 }),
    fc.string({ unit: 'binary', maxLength: 4 }).map(bytesOf),
  );

  it('gives the same events however a stream is cut', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (list, cuts) => {
        const bytes = Uint8Array.from(list.flatMap((part) => [...part]));
        const whole = decodeWhole(bytes);
        expect(decodeCut(bytes, cuts)).toEqual(whole);
        expect(decodeByteByByte(bytes)).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('never types a control character, whatever arrives', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const event of decodeWhole(bytes)) {
          const text = event.kind === 'paste' ? event.text : (typedText(event) ?? '');
          expect(text).toMatch(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
