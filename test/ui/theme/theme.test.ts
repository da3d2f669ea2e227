import { describe, expect, it } from 'vitest';
import { PALETTES } from '../../../src/render/palette.ts';
import { span } from '../../../src/render/row.ts';
import { rowOf } from '../../../src/render/row-builder.ts';
import { backgroundOf, guessedBackground, paletteName } from '../../../src/ui/theme/choose.ts';
import { Looks } from '../../../src/ui/theme/looks.ts';

const ABILITIES = { colour: '256', links: false, pictures: false, dumb: false, unicode: true } as const;

describe('the palette', () => {
  it.each([
    ['256', 'auto', 'dark', 'dark'],
    ['true', 'auto', 'light', 'light'],
    ['16', 'auto', 'light', 'ansi16'],
    ['none', 'dark', 'dark', 'none'],
    ['256', 'light', 'dark', 'light'],
    ['256', 'contrast', 'dark', 'contrast-dark'],
    ['256', 'contrast', 'light', 'contrast-light'],
    ['256', 'none', 'dark', 'none'],
    ['16', 'light', 'dark', 'ansi16'],
    ['16', 'contrast', 'dark', 'ansi16'],
    ['16', 'none', 'dark', 'none'],
  ] as const)('with %s colours, the wish %s and a %s background is %s', (colour, wish, background, name) => {
    expect(paletteName({ colour, wish, background })).toBe(name);
  });

  it('has no colour code without colours, and knows every meaning', () => {
    const meanings = Object.keys(PALETTES.dark).sort();
    for (const palette of Object.values(PALETTES)) expect(Object.keys(palette).sort()).toEqual(meanings);
    expect(
      Object.values(PALETTES.none)
        .flat()
        .every((code) => ['1', '2', '4', '7'].includes(code)),
    ).toBe(true);
  });

  it('shows a selection without colours', () => {
    expect(PALETTES.none.selected).not.toEqual([]);
  });
});

describe('the background', () => {
  it.each([
    [[0, 0, 0], 'dark'],
    [[253, 246, 227], 'light'],
    [[0, 43, 54], 'dark'],
    [[0, 0, 255], 'dark'],
    [[255, 255, 0], 'light'],
  ] as const)('%j is %s', (rgb, background) => {
    expect(backgroundOf(rgb)).toBe(background);
  });

  it('is guessed from COLORFGBG, dark without it', () => {
    expect([undefined, '15;0', '0;15', '0;default;7', 'x'].map(guessedBackground)).toEqual([
      'dark',
      'dark',
      'light',
      'light',
      'dark',
    ]);
  });

  it('changes the looks once the terminal has told it, and only then', () => {
    const looks = new Looks(ABILITIES, undefined, 'dark');
    const row = rowOf([span('x', 'accent')]);
    const before = looks.painter.paint(row);
    expect(looks.hear({ kind: 'reply', reply: 'colour', slot: 10, rgb: [255, 255, 255] })).toBe(false);
    expect(looks.hear({ kind: 'reply', reply: 'colour', slot: 11, rgb: [0, 0, 0] })).toBe(false);
    expect(looks.painter.paint(row)).toBe(before);
    expect(looks.hear({ kind: 'reply', reply: 'colour', slot: 11, rgb: [255, 255, 255] })).toBe(true);
    expect(looks.painter.paint(row)).not.toBe(before);
    expect(looks.hear({ kind: 'reply', reply: 'colour-scheme', scheme: 'dark' })).toBe(true);
    expect(looks.painter.paint(row)).toBe(before);
  });

  it('changes nothing for who has chosen a theme', () => {
    const looks = new Looks(ABILITIES, 'dark', 'dark');
    expect(looks.hear({ kind: 'reply', reply: 'colour', slot: 11, rgb: [255, 255, 255] })).toBe(false);
  });
});
