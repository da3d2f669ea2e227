import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paint } from '../../../src/render/paint.ts';
import { PALETTES } from '../../../src/render/palette.ts';
import { MAX_PICTURE_ROWS } from '../../../src/render/picture-cells.ts';
import { span } from '../../../src/render/row.ts';
import { rowOf } from '../../../src/render/row-builder.ts';
import { boxOf, handOver } from '../../../src/ui/preview/picture.ts';
import { pngSize } from '../../../src/ui/preview/png.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAADUlEQVR4nGP4z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg==',
  'base64',
);

describe('a picture', () => {
  it('has the size that its header says, or none', () => {
    expect(pngSize(PNG)).toEqual({ width: 2, height: 1 });
    expect(pngSize(PNG.subarray(0, 20))).toBeNull();
    expect(pngSize(Buffer.from('GIF89a this is another kind of picture'))).toBeNull();
    const empty = Buffer.from(PNG);
    empty.writeUInt32BE(0, 16);
    expect(pngSize(empty)).toBeNull();
  });

  it('fits into its box whatever its shape, and keeps it', () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const { columns, rows } = boxOf({ width, height });
        expect(columns).toBeGreaterThanOrEqual(1);
        expect(columns).toBeLessThanOrEqual(32);
        expect(rows).toBeGreaterThanOrEqual(1);
        expect(rows).toBeLessThanOrEqual(MAX_PICTURE_ROWS);
      }),
    );
    expect(boxOf({ width: 1_000, height: 1_000 })).toEqual({ columns: 16, rows: 8 });
    expect(boxOf({ width: 1_600, height: 400 })).toEqual({ columns: 32, rows: 4 });
  });

  it('is handed over in pieces that the protocol takes, whole', () => {
    const bytes = Buffer.alloc(10_000, 7);
    const pieces = [
      ...handOver(bytes, { columns: 4, rows: 2 }).matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g),
    ];
    expect(pieces.map(([, about]) => about)).toEqual([
      'a=T,U=1,i=214,f=100,c=4,r=2,q=2,m=1',
      'q=2,m=1',
      'q=2,m=1',
      'q=2,m=0',
    ]);
    expect(pieces.every(([, , text = '']) => text.length <= 4_096)).toBe(true);
    expect(Buffer.from(pieces.map(([, , text]) => text).join(''), 'base64').equals(bytes)).toBe(true);
  });

  it('stands in a row as cells of its own, as wide as the blanks that it replaces', () => {
    const row = rowOf([span('a', 'strong'), { text: '    ', style: 'text', picture: 1 }, span('b', 'text')]);
    expect(row.width).toBe(6);
    const painted = paint(row, PALETTES.dark, { links: 'none' });
    expect(painted).toContain('\u001b[38;5;214m\u{10eeee}\u030d\u{10eeee}\u{10eeee}\u{10eeee}\u001b[39m');
    expect(painted).toMatch(/b$/);
  });

  it('is never made by a text', () => {
    const hostile = paint(rowOf([span('\u{10eeee}\u0305', 'text')]), PALETTES.dark, { links: 'none' });
    expect(hostile).not.toContain('\u{10eeee}');
  });
});
