import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { markdownRows } from '../../src/render/markdown.ts';
import { type Row, rowText, span } from '../../src/render/row.ts';
import { RICH } from './rich-markdown.ts';
import { hostileText } from './text-arbitraries.ts';

function shown(source: string, width: number): string[] {
  return markdownRows(source, width).map(rowText);
}

function widest(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map((row) => stringWidth(rowText(row))));
}

describe('markdownRows', () => {
  const cases: readonly [name: string, source: string, width: number, rows: string[]][] = [
    ['nothing', '', 40, []],
    ['blank lines', '\n\n \n', 40, []],
    ['paragraphs', 'one\n\n\n\ntwo\n', 40, ['one', '', 'two']],
    ['line breaks stay', 'one\ntwo', 40, ['one', 'two']],
    ['headings', '# One\n## Two', 40, ['One', '', 'Two']],
    ['own numbers', '1. a\n5. b\n6. c\n8. d', 40, ['1. a', '5. b', '6. c', '8. d']],
    ['other delimiter', '3) a\n9) b', 40, ['3) a', '9) b']],
    ['hanging indent', '10. one two three', 12, ['10. one two', '    three']],
    ['nested', '- a\n  1. b\n  2. c\n- d', 40, ['• a', '  1. b', '  2. c', '• d']],
    ['loose', '- a\n\n- b', 40, ['• a', '', '• b']],
    ['tasks', '- [ ] a\n- [x] b', 40, ['• [ ] a', '• [x] b']],
    ['loose tasks', '- [ ] a\n\n- [x] b', 40, ['• [ ] a', '', '• [x] b']],
    ['empty item', '- a\n-\n- b', 40, ['• a', '• ', '• b']],
    [
      'code in an item',
      '5. a\n\n   ```\n   x\n\n   y\n   ```\n6. b',
      40,
      ['5. a', '', '     x', '', '     y', '', '6. b'],
    ],
    ['no room to indent', '- - - abc defghi', 10, ['• •', '  •', '  abc', '  defghi']],
    ['quote', '> one two\n> - three', 40, ['│ one two', '│ ', '│ • three']],
    ['rule', 'a\n\n---\n\nb', 6, ['a', '', '──────', '', 'b']],
    ['code', '```ts\nlet a;\n\n\tb\n```', 40, ['  ts', '  let a;', '', '      b']],
    ['long code', '```\nabcdefghijklmn\n```', 12, ['  abcdefghij', '  klmn']],
    ['open fence', '```\nlet *a*', 40, ['  let *a*']],
    ['html', '<b>x</b> &lt; y\n\n<div>\nz\n</div>', 40, ['<b>x</b> < y', '', '<div>', 'z', '</div>']],
    ['link', '[a](https://b.c) <https://b.c> www.b.c', 60, ['a (https://b.c) https://b.c www.b.c']],
    ['references are text', '[a][b]\n\n[b]: x', 40, ['[a][b]', '', '[b]: x']],
    ['image', '![alt](pic.png) ![](p.png)', 40, ['alt (pic.png) p.png']],
    ['escapes', 'a\u001b[31mb \\* &#27;c &#x202e;d', 40, ['ab * &#27;c &#x202e;d']],
    ['table', '|a|漢字|\n|-|-:|\n|b|c|', 40, ['a │ 漢字', '──┼─────', 'b │    c']],
    [
      'table, shrunk',
      '|a|b|\n|-|:-:|\n|one two|three four|\n|x|y|',
      13,
      ['a     │   b', '──────┼──────', 'one   │ three', 'two   │ four', '──────┼──────', 'x     │   y'],
    ],
    [
      'table, stacked when the grid would break words and be taller',
      '|aaaaaa|b|\n|-|-|\n|1|xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|',
      20,
      ['aaaaaa: 1', 'b: xxxxxxxxxxxxxxxxx', '  xxxxxxxxxxxxx'],
    ],
    [
      'table, stacked',
      '|aaaaa|bbbbb|ccccc|\n|-|-|-|\n|111111|222222|333333|\n|4|5|6|',
      15,
      [
        'aaaaa: 111111',
        'bbbbb: 222222',
        'ccccc: 333333',
        '───────────────',
        'aaaaa: 4',
        'bbbbb: 5',
        'ccccc: 6',
      ],
    ],
  ];
  test.each(cases)('%s', (_name, source, width, rows) => {
    expect(shown(source, width)).toEqual(rows);
  });

  test('styles and targets', () => {
    expect(markdownRows('a **b *c*** `d` [e](https://f.g) [h](javascript:1)', 80)).toEqual([
      {
        spans: [
          span('a ', 'text'),
          span('b ', 'strong'),
          span('c', 'strong-emphasis'),
          span(' ', 'text'),
          span('d', 'code'),
          span(' ', 'text'),
          span('e', 'link', 'https://f.g'),
          span(' (', 'dim'),
          span('https://f.g', 'dim', 'https://f.g'),
          span(')', 'dim'),
          span(' ', 'text'),
          span('h', 'link'),
          span(' (javascript:1)', 'dim'),
        ],
        width: 40,
      },
    ]);
  });

  test.each([20, 30, 36, 80, 300])('a rich document fits %i columns and loses no text', (width) => {
    const rows = markdownRows(RICH, width);
    expect(widest(rows)).toBeLessThanOrEqual(width);
    const text = rows
      .map(rowText)
      .join('')
      .replace(/[\s│─┌┬┐├┼┤└┴┘]/g, '');
    expect(text).toContain('Notacontrol:&#27;[31m.');
    expect(text).toContain('constline119="119";//漢字');
    expect(text).toContain(`thelink(https://example.org/${'a'.repeat(280)})`);
    expect(text.match(/x/g)?.length).toBeGreaterThanOrEqual(200);
    expect(rows.at(0)?.spans.length).toBeGreaterThan(0);
    expect(rows.at(-1)?.spans.length).toBeGreaterThan(0);
  });

  test('any text at any width', () => {
    const pieces = fc.array(
      fc.oneof(
        hostileText,
        fc.constantFrom(
          '- ',
          '1. ',
          '> ',
          '```',
          '|a|b|\n|-|-|\n|',
          '# ',
          '    ',
          '**',
          '`',
          '[x](y)',
          '---\n',
          '<div>',
        ),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(pieces, fc.integer({ min: 2, max: 60 }), (parts, width) => {
        const rows = markdownRows(parts.join(''), width);
        expect(widest(rows)).toBeLessThanOrEqual(width);
        expect(rows.map(rowText).join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });

  test('hostile nesting ends', () => {
    expect(widest(markdownRows('>'.repeat(5000), 40))).toBeLessThanOrEqual(40);
    expect(widest(markdownRows(`${'- '.repeat(3000)}x`, 40))).toBeLessThanOrEqual(40);
    expect(widest(markdownRows('*'.repeat(20_000), 40))).toBeLessThanOrEqual(40);
    expect(widest(markdownRows('['.repeat(5000), 40))).toBeLessThanOrEqual(40);
  });
});
