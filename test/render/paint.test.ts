import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paint } from '../../src/render/paint.ts';
import { PALETTES, type PaletteName } from '../../src/render/palette.ts';
import { type Row, type Span, type Style, span } from '../../src/render/row.ts';
import { rowOf } from '../../src/render/row-builder.ts';
import { sanitiseLine } from '../../src/render/sanitise.ts';
import { hostileText } from './text-arbitraries.ts';

const ESC = '\u001b';

describe('paint', () => {
  const cases: readonly [name: string, palette: PaletteName, spans: Span[], painted: string][] = [
    ['plain', 'ansi16', [span('a', 'text')], 'a'],
    ['one style', 'ansi16', [span('a', 'good')], `${ESC}[32ma${ESC}[0m`],
    [
      'styles after each other',
      'ansi16',
      [span('a', 'good'), span('b', 'bad')],
      `${ESC}[32ma${ESC}[31mb${ESC}[0m`,
    ],
    ['style and back', 'ansi16', [span('a', 'strong'), span('b', 'text')], `${ESC}[1ma${ESC}[0mb`],
    [
      'attributes come and go',
      'ansi16',
      [span('a', 'strong'), span('b', 'strong-emphasis'), span('c', 'emphasis'), span('d', 'strike')],
      `${ESC}[1ma${ESC}[3mb${ESC}[22mc${ESC}[23;9md${ESC}[0m`,
    ],
    [
      'bold heading after dim',
      'ansi16',
      [span('a', 'dim'), span('b', 'strong')],
      `${ESC}[2ma${ESC}[22;1mb${ESC}[0m`,
    ],
    ['no colour', 'none', [span('a', 'good'), span('b', 'selected')], `a${ESC}[7mb${ESC}[0m`],
    [
      'link',
      'none',
      [span('a', 'text', 'https://x/é y'), span('b', 'strong', 'https://x/éy'), span('c', 'text')],
      `${ESC}]8;;https://x/%C3%A9y${ESC}\\a${ESC}[1mb${ESC}]8;;${ESC}\\${ESC}[0mc`,
    ],
    ['link of a foreign scheme', 'none', [span('a', 'text', 'javascript:x')], 'a'],
    ['text that would act', 'none', [span(`a${ESC}[2Jb\n`, 'text')], 'ab '],
  ];
  test.each(cases)('%s', (_name, palette, spans, painted) => {
    expect(paint(rowOf(spans), PALETTES[palette], { links: 'osc8' })).toBe(painted);
  });

  test('no link without the ability', () => {
    const row: Row = rowOf([span('a', 'text', 'https://x')]);
    expect(paint(row, PALETTES.none, { links: 'none' })).toBe('a');
  });

  const styles = Object.keys(PALETTES.none).filter((name): name is Style => name in PALETTES.none);
  const spans = fc.array(
    fc.record({
      text: hostileText,
      style: fc.constantFrom(...styles),
      href: hostileText.map((text) => `https://x/${text}`),
    }),
    { maxLength: 6 },
  );

  test.each(['dark', 'light', 'ansi16', 'none'] as const)('%s: nothing but SGR and OSC 8 leaves', (name) => {
    fc.assert(
      fc.property(spans, (given) => {
        const painted = paint({ spans: given, width: 0 }, PALETTES[name], { links: 'osc8' });
        const text = painted
          .replace(/\u001b\]8;;[\u0021-\u007e]*\u001b\\/g, '')
          .replace(/\u001b\[[\d;]+m/g, '');
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        expect(text).toBe(given.map((part) => sanitiseLine(part.text)).join(''));
        const links = painted.match(/\u001b\]8;;[^\u001b]*/g) ?? [];
        expect(links.at(-1) ?? `${ESC}]8;;`).toBe(`${ESC}]8;;`);
        const codes = painted.match(/\u001b\[[\d;]+m/g) ?? [];
        expect(codes.at(-1) ?? `${ESC}[0m`).toBe(`${ESC}[0m`);
      }),
    );
  });

  test('the palette without colour has none', () => {
    for (const codes of Object.values(PALETTES.none)) {
      expect(codes.filter((code) => !['1', '2', '4', '7'].includes(code))).toEqual([]);
    }
  });
});
