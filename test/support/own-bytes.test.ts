import { describe, expect, it } from 'vitest';
import { foreignSequences } from './own-bytes.ts';

const OWN =
  '\u001b[?1049h\u001b[?25l\u001b[?2026h\u001b[1;38;5;12mtext\u001b[0m\r\n\u001b[2A\u001b[E\u001b[5G\u001b[K\u001b[1;1H\u001b[J' +
  '\u001b]8;;https://example.test/a%20b\u001b\\link\u001b]8;;\u001b\\\u001b]11;?\u001b\\\u001b[c\u001b]2;~/a · magi-term · working\u001b\\' +
  '\u001b[>1u\u001b[<1u\u001b[22;2t\u001b[23;2t\u001b]2;\u001b\\\u001b[?2031h\u001b[?2004l\u001b[?1004h';

describe('foreignSequences', () => {
  it('finds nothing in what the program writes', () => {
    expect(foreignSequences(OWN)).toEqual([]);
  });

  it.each([
    ['a title of somebody else', '\u001b]0;owned\u0007'],
    ['a title that looks like ours', '\u001b]2;owned\u001b\\'],
    ['a link to somewhere odd', '\u001b]8;;javascript:alert(1)\u001b\\'],
    ['the clipboard', '\u001b]52;c;b3duZWQ=\u001b\\'],
    ['clearing what has scrolled away', '\u001b[3J'],
    ['clearing all', '\u001b[2J'],
    ['a mode that is not ours', '\u001b[?1000h'],
    ['a scroll region', '\u001b[1;5r'],
    ['a device string', '\u001bP1$tx\u001b\\'],
    ['one-byte CSI', '\u009b2J'],
    ['a bell', '\u0007'],
    ['a backspace', '\b'],
    ['a turn of direction', '\u202e'],
    ['a space without width', '\u200b'],
    ['a sequence that is cut off', '\u001b[38;5'],
    ['a lone escape', '\u001b'],
  ])('finds %s', (_name, sequence) => {
    expect(foreignSequences(`before${sequence}`)).toEqual([`${JSON.stringify(sequence)} at 6`]);
  });

  it('lets a copy and a bell pass where they were asked for', () => {
    expect(foreignSequences('\u001b]52;c;aGk=\u001b\\\u001b]52;c;aGk=\u0007', ['clipboard'])).toEqual([]);
    expect(foreignSequences('\u0007', ['bell'])).toEqual([]);
  });
});
