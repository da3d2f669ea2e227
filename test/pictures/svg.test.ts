import { afterEach, describe, expect, it } from 'vitest';
import { VirtualScreen } from '../support/virtual-screen.ts';
import { colourOf, DARK, LIGHT, svgOf } from './svg.ts';

const COLS = 20;
const ROWS = 4;
const open: VirtualScreen[] = [];

afterEach(() => {
  for (const screen of open.splice(0)) screen.dispose();
});

async function drawn(bytes: string): Promise<string> {
  const screen = new VirtualScreen({
    cols: COLS,
    rows: ROWS,
    background: null,
    kittyKeyboard: 'unsupported',
    onReply: () => undefined,
  });
  open.push(screen);
  await screen.write(bytes);
  return svgOf(screen, { cols: COLS, rows: ROWS, colours: DARK, title: 'A <test>' });
}

/** Texts of the picture with the attributes that say how they look, in order. */
function textsIn(svg: string): { at: string; look: string; text: string }[] {
  return [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"([^>]*)>([^<]*)<\/text>/g)].map(
    ([, x = '', y = '', look = '', text = '']) => ({ at: `${x},${y}`, look: look.trim(), text }),
  );
}

describe('svgOf', () => {
  it('puts every stretch of cells into its place with its look', async () => {
    const svg = await drawn(
      'plain \u001b[1;31mbold\u001b[0m\r\n\u001b[2mfaint\u001b[0m \u001b[3;4mboth\u001b[0m\r\n漢字a\u001b[38;5;117mb\u001b[0m\u001b[?25l',
    );
    const usual = `fill="${DARK.foreground}"`;
    expect(textsIn(svg)).toEqual([
      { at: '14,27', look: usual, text: 'plain ' },
      { at: '64.4,27', look: `fill="${DARK.sixteen[1]}" font-weight="bold"`, text: 'bold' },
      { at: '14,44', look: `${usual} fill-opacity="0.6"`, text: 'faint' },
      { at: '64.4,44', look: `${usual} font-style="italic" text-decoration="underline"`, text: 'both' },
      { at: '14,61', look: usual, text: '漢' },
      { at: '30.8,61', look: usual, text: '字' },
      { at: '47.6,61', look: usual, text: 'a' },
      { at: '56,61', look: 'fill="#87d7ff"', text: 'b' },
    ]);
  });

  it('fills what stands behind, turns colours round, and shows the cursor', async () => {
    const svg = await drawn('\u001b[7mab\u001b[0m\u001b[48;5;16mc\u001b[0m');
    expect(svg).toContain(`<rect x="14" y="14" width="16.8" height="17" fill="${DARK.foreground}"/>`);
    expect(svg).toContain(`fill="${DARK.background}">ab</text>`);
    expect(svg).toContain('<rect x="30.8" y="14" width="8.4" height="17" fill="#000000"/>');
    expect(svg).toContain(`<rect x="39.2" y="14" width="2" height="17" fill="${DARK.foreground}"/>`);
  });

  it('holds no markup of the cells, and is whole', async () => {
    const svg = await drawn('<b>&"x"</b>');
    expect(svg).toContain('&lt;b&gt;&amp;&quot;x&quot;&lt;/b&gt;');
    expect(svg).toContain('<title>A &lt;test&gt;</title>');
    const tags = svg.match(/<\/?\w+[^>]*>/g) ?? [];
    const depth = tags.reduce(
      (sum, tag) => sum + (tag.startsWith('</') ? -1 : tag.endsWith('/>') ? 0 : 1),
      0,
    );
    expect(depth).toBe(0);
    expect(svg).toBe(await drawn('<b>&"x"</b>'));
  });

  it.each([
    ['default', '#d5dbe1'],
    ['#123456', '#123456'],
    [9, DARK.sixteen[9]],
    [16, '#000000'],
    [21, '#0000ff'],
    [231, '#ffffff'],
    [232, '#080808'],
    [255, '#eeeeee'],
  ])('knows colour %s', (colour, expected) => {
    expect(colourOf(colour, DARK, DARK.foreground)).toBe(expected);
  });

  it('has sixteen colours for each window', () => {
    for (const { sixteen } of [DARK, LIGHT]) expect(new Set(sixteen).size).toBeGreaterThan(14);
  });
});
