import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fenwick } from '../../src/render/fenwick.ts';
import { type Row, span } from '../../src/render/row.ts';
import { type RowBlock, RowIndex, type WindowRow } from '../../src/render/row-index.ts';

interface Sized extends RowBlock {
  readonly key: string;
  readonly revision: number;
  readonly cells: number;
}

/** As many rows as the block's cells need at this width. */
function rowsOf(block: Sized, width: number): Row[] {
  return Array.from({ length: Math.ceil(block.cells / width) }, (_, row) => ({
    spans: [span(`${block.key}.${block.revision}.${row}@${width}`, 'text')],
    width: 1,
  }));
}

function flat(blocks: readonly Sized[], width: number): WindowRow[] {
  return blocks.flatMap((block) =>
    rowsOf(block, width).map((content, row) => ({ key: block.key, row, content })),
  );
}

function block(key: number | string, cells: number, revision = 0): Sized {
  return { key: `k${key}`, revision, cells };
}

type Step =
  | {
      readonly kind: 'append' | 'replaceLast' | 'change' | 'prepend' | 'drop' | 'turn' | 'tail';
      readonly cells: number;
      readonly at: number;
    }
  | { readonly kind: 'remove' | 'look'; readonly at: number; readonly cells: number }
  | { readonly kind: 'resize'; readonly at: number; readonly cells: number };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...([
      'append',
      'replaceLast',
      'change',
      'prepend',
      'drop',
      'turn',
      'tail',
      'remove',
      'look',
      'resize',
    ] as const),
  ),
  cells: fc.nat(60),
  at: fc.nat(50),
});

describe('RowIndex', () => {
  test.each([10, 20_000])('equals a flat list, with %i cached rows', (cachedRows) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let width = 10;
        let blocks: Sized[] = [];
        let revision = 0;
        const index = new RowIndex(rowsOf, { width, theme: 0 }, { cachedRows });
        steps.forEach((next, number) => {
          revision += 1;
          const place = blocks.length === 0 ? 0 : next.at % blocks.length;
          const old = blocks[place];
          switch (next.kind) {
            case 'append':
              blocks = [...blocks, block(number, next.cells)];
              index.append(block(number, next.cells));
              break;
            case 'replaceLast': {
              const last = { ...(blocks.at(-1) ?? block(number, 0)), revision, cells: next.cells };
              blocks = [...blocks.slice(0, -1), last];
              index.replaceLast(last);
              break;
            }
            case 'change':
              if (old !== undefined) blocks = blocks.with(place, { ...old, revision, cells: next.cells });
              index.sync(blocks);
              break;
            case 'prepend':
              blocks = [block(`${number}a`, next.cells), block(`${number}b`, 7), ...blocks];
              index.sync(blocks);
              break;
            case 'drop':
              blocks = blocks.slice(next.at % 4);
              index.sync(blocks);
              break;
            case 'turn':
              blocks = [block(`${number}a`, next.cells), ...blocks.slice(0, -1)];
              index.sync(blocks);
              break;
            case 'tail': {
              const kept = blocks.slice(0, place);
              blocks = [...kept, block(`${number}a`, next.cells), block(`${number}b`, 3)];
              index.sync(blocks, place);
              break;
            }
            case 'remove':
              blocks = blocks.filter((_, at) => at !== place);
              index.sync(blocks);
              break;
            case 'resize':
              width = 1 + next.cells;
              index.setLayout({ width, theme: 0 });
              break;
            case 'look':
              break;
          }
          const all = flat(blocks, width);
          const height = 1 + (next.cells % 9);
          // Anchored questions first: nothing has been measured for them.
          const bottom = index.bottom(height);
          expect(bottom === null ? [] : index.windowAt(bottom, height)).toEqual(all.slice(-height));
          if (bottom !== null) {
            const top = Math.max(0, all.length - height);
            const up = index.move(bottom, -next.at);
            const row = Math.max(0, top - next.at);
            expect(up && index.windowAt(up, height)).toEqual(all.slice(row, row + height));
            const down = up && index.move(up, next.cells);
            const lower = Math.min(all.length - 1, row + next.cells);
            expect(down && index.windowAt(down, height)).toEqual(all.slice(lower, lower + height));
            expect(down && index.rowsBelow(down, height)).toBe(Math.min(height, all.length - 1 - lower));
            expect(down && index.rowsAbove(down, height)).toBe(Math.min(height, lower));
            expect(down && index.position(down)).toBe(lower);
          }
          expect(index.totalHeight()).toBe(all.length);
          expect(index.estimatedHeight()).toBe(all.length);
          expect(index.window(next.at, height)).toEqual(all.slice(next.at, next.at + height));
          const target = all[next.at];
          expect(index.at(next.at)).toEqual(
            target === undefined ? null : { key: target.key, row: target.row },
          );
        });
      }),
    );
  });

  test('asks for rows once, and only for what a window shows', () => {
    const asked: string[] = [];
    const index = new RowIndex(
      (given: Sized, width) => {
        asked.push(`${given.key}.${given.revision}`);
        return rowsOf(given, width);
      },
      { width: 10, theme: 'dark' },
    );
    for (let key = 0; key < 1000; key += 1) index.append(block(key, 20));
    const bottom = index.bottom(4);
    expect(bottom).toEqual({ key: 'k998', row: 0 });
    expect(bottom && index.windowAt(bottom, 4)).toHaveLength(4);
    expect(asked).toEqual(['k999.0', 'k998.0']);
    index.replaceLast(block(999, 30, 1));
    expect(index.bottom(4)).toEqual({ key: 'k998', row: 1 });
    expect(asked).toEqual(['k999.0', 'k998.0', 'k999.1']);
    index.setLayout({ width: 10, theme: 'light' });
    expect(index.bottom(1)).toEqual({ key: 'k999', row: 2 });
    expect(asked).toEqual(['k999.0', 'k998.0', 'k999.1', 'k999.1']);
    expect(index.totalHeight()).toBe(2001);
    expect(asked).toHaveLength(4 + 999);
  });

  test('an anchor stays with its text while blocks come in above and below', () => {
    const index = new RowIndex(rowsOf, { width: 10, theme: 0 });
    index.sync([block(1, 30), block(2, 30)]);
    const anchor = { key: 'k2', row: 1 };
    const seen = index.windowAt(anchor, 1);
    index.sync([block(0, 50), block(1, 30), block(2, 30), block(3, 10)]);
    expect(index.windowAt(anchor, 1)).toEqual(seen);
    expect(index.position(anchor)).toBe(9);
    index.sync([block(2, 30), block(3, 10)]);
    expect(index.windowAt(anchor, 1)).toEqual(seen);
    expect(index.position(anchor)).toBe(1);
    index.sync([block(1, 30)]);
    expect(index.windowAt(anchor, 1)).toEqual([]);
    expect(index.move(anchor, 1)).toBe(null);
    expect(index.position(anchor)).toBe(null);
  });

  test('what comes in or goes at the top costs no known block its rows', () => {
    const asked: string[] = [];
    const index = new RowIndex(
      (given: Sized, width) => {
        asked.push(given.key);
        return rowsOf(given, width);
      },
      { width: 10, theme: 0 },
    );
    const known = [block(5, 20), block(6, 20), block(7, 20)];
    index.sync(known);
    expect(index.totalHeight()).toBe(6);
    index.sync([block(4, 20), ...known]);
    index.sync(known.slice(1));
    expect(index.totalHeight()).toBe(4);
    expect(asked).toEqual(['k5', 'k6', 'k7']);
  });

  test('a row that its block lost becomes its last', () => {
    const index = new RowIndex(rowsOf, { width: 10, theme: 0 });
    index.sync([block(1, 30), block(2, 10)]);
    index.sync([block(1, 20, 1), block(2, 10)]);
    expect(index.position({ key: 'k1', row: 2 })).toBe(1);
  });
});

test('Fenwick equals plain sums', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(5)),
      fc.array(fc.tuple(fc.nat(30), fc.nat(5))),
      fc.nat(60),
      (start, sets, target) => {
        const values = [...start];
        const tree = new Fenwick(start);
        for (const [at, value] of sets) {
          if (at < values.length) values[at] = value;
          tree.set(at, value);
        }
        values.push(3);
        tree.push(3);
        values.push(4);
        tree.push(4);
        values.pop();
        tree.pop();
        const sums = values.map((_, count) => values.slice(0, count + 1).reduce((a, b) => a + b, 0));
        expect(values.map((_, count) => tree.sumBefore(count + 1))).toEqual(sums);
        expect(tree.total).toBe(sums.at(-1));
        const found = sums.findIndex((sum) => sum > target);
        expect(tree.find(target)).toBe(found < 0 ? values.length : found);
      },
    ),
  );
});

test('a block that looks otherwise is asked again, and no other', () => {
  const heights = new Map([
    ['ka', 1],
    ['kb', 2],
    ['kc', 1],
  ]);
  const asked: string[] = [];
  const index = new RowIndex<RowBlock>(
    ({ key }) => {
      asked.push(key);
      return Array.from({ length: heights.get(key) ?? 0 }, () => ({ spans: [], width: 0 }));
    },
    { width: 10, theme: 0 },
  );
  index.sync([...heights.keys()].map((key) => ({ key, revision: 0 })));
  expect(index.totalHeight()).toBe(4);
  heights.set('kb', 7);
  expect(index.totalHeight()).toBe(4);
  index.touch('kb');
  index.touch('missing');
  expect([index.totalHeight(), index.rowsOf('kb').length, index.indexOf('kb')]).toEqual([9, 7, 1]);
  expect(asked).toEqual(['ka', 'kb', 'kc', 'kb']);
});
