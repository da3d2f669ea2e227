/** Our patch of Ink: the same picture, and only for the Ink that it was made for. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INK_PATCHES, inkPatch, patched } from '../../ink-patch.mjs';
import { type Row, type Style, span } from '../../src/render/row.ts';
import { rowOf } from '../../src/render/row-builder.ts';
import { sanitiseLine } from '../../src/render/sanitise.ts';
import { readyRow, withShortWay } from '../../src/ui/ink/ready-rows.ts';
import { VirtualScreen } from '../support/virtual-screen.ts';
import type { picture } from './ink-picture.tsx';

type Picture = typeof picture;

const INK = createRequire(import.meta.url)
  .resolve('ink')
  .replace(/index\.js$/, '');
/** Of the files as they were when the patch was made: look at it again when they are others. */
const KNOWN: Readonly<Record<string, string>> = {
  'line-update.js': '3101b3bbf790a845',
  'log-update.js': '0336ec176d007807',
  'output.js': '5e6c511c0a573f48',
  'render-node-to-output.js': 'de6aebe3d2224648',
};

const folder = mkdtempSync(join(tmpdir(), 'magi-term-ink-'));
let ours: Picture;
let inks: Picture;

beforeAll(async () => {
  ours = await bundled('ours', [inkPatch]);
  inks = await bundled('inks', []);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function bundled(name: string, plugins: Plugin[]): Promise<Picture> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [resolve(import.meta.dirname, 'ink-picture.tsx')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    alias: { 'react-devtools-core': resolve(import.meta.dirname, '../../src/platform/empty.ts') },
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    plugins,
    logLevel: 'warning',
  });
  const module: { picture: Picture } = await import(pathToFileURL(outfile).href);
  return module.picture;
}

const style = fc.constantFrom<Style>(
  'text',
  'dim',
  'strong',
  'heading',
  'link',
  'code',
  'bad',
  'added',
  'selected',
);
const words = fc.oneof(
  fc.constantFrom('plain words', '漢字', 'e\u0301a', '👩‍👩‍👧‍👦', '│', '█', '  ', '➡️', 'a\tb', ''),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const row: fc.Arbitrary<Row> = fc
  .array(fc.tuple(words, style), { maxLength: 5 })
  .map((parts) => rowOf(parts.map(([text, of]) => span(sanitiseLine(text), of))));

/** Everything that a person sees of it: letters and looks. */
async function cellsOf(text: string, columns: number, rows: number): Promise<unknown> {
  const screen = new VirtualScreen({
    cols: columns,
    rows,
    background: null,
    kittyKeyboard: 'unsupported',
    onReply: () => undefined,
  });
  await screen.write(text.replaceAll('\n', '\r\n'));
  const cells = Array.from({ length: rows }, (_, y) =>
    Array.from({ length: columns }, (_, x) => {
      const cell = screen.cell(x, y);
      const isBlank = cell.text === '' || cell.text === ' ';
      // A blank without background or line looks like one that nobody wrote.
      if (isBlank && cell.background === 'default' && !cell.inverse && !cell.underline) return ' ';
      return cell;
    }),
  );
  screen.dispose();
  return cells;
}

test('the files of Ink are those that the patch was made for', () => {
  const files = [...INK_PATCHES.map(({ file }) => file), 'line-update.js'];
  const hashes = files.map((file) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(INK, file)))
      .digest('hex');
    return [file, hash.slice(0, 16)] as const;
  });
  expect(Object.fromEntries(hashes)).toEqual(KNOWN);
  expect(() => patched('output.js', 'something else')).toThrow('has changed');
});

describe('the picture', () => {
  test('is the one that Ink gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(40, 80),
        async (rows, columns) => {
          const fitting = rows.filter(({ width }) => width <= columns);
          const [here, there] = [ours(fitting, columns), inks(fitting, columns)];
          expect(await cellsOf(here, columns, 8)).toEqual(await cellsOf(there, columns, 8));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('keeps links, where Ink loses some', () => {
    const linked = rowOf([span(' ', 'added'), span('here', 'link', 'https://example.test/')]);
    expect(ours([linked], 40)).toContain('\u001b]8;;https://example.test/');
  });

  test('of rows that do not fit is left to Ink', () => {
    const wide = rowOf([span('too wide for this window', 'dim')]);
    expect(ours([wide, wide], 10)).toBe(inks([wide, wide], 10));
    expect(readyRow({ attributes: { readyCells: 24 }, childNodes: [{ nodeValue: 'x' }] }, 10)).toBe(null);
  });
});

describe('another line', () => {
  const update = withShortWay((_previous, next) => `short ${next}`);
  test('is written anew where it begins otherwise, and left to Ink where it does not', () => {
    expect(update('abcdef', 'xbcdef', 80)).toBe('\u001b[1G\u001b[Kxbcdef');
    expect(update('abcdef', 'abcdeX', 80)).toBe('short abcdeX');
  });
});
