import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowText, span } from '../../../src/render/row.ts';
import { rowOf } from '../../../src/render/row-builder.ts';
import type { Block } from '../../../src/transcript/blocks.ts';
import { Finder, numberOf, placeOf } from '../../../src/ui/reading/finder.ts';
import { locate, withFinds } from '../../../src/ui/reading/found-rows.ts';
import { countIn, needleOf } from '../../../src/ui/reading/needle.ts';
import { niceText } from '../../render/text-arbitraries.ts';

function said(text: string, index: number): Block {
  return { kind: 'user', id: `u${index}`, revision: 0, text };
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', ' '), maxLength: 30 });
const talk = fc.array(letters, { maxLength: 12 }).map((texts) => texts.map(said));

describe('the finder', () => {
  it('counts what a plain search counts, however the needle was typed and the talk grew', () => {
    fc.assert(
      fc.property(talk, talk, letters, (history, live, text) => {
        const finder = new Finder();
        const renamed = live.map((block) => ({ ...block, id: `l${block.id}` }));
        for (let end = 0; end < text.length; end += 1) finder.find(history, renamed, text.slice(0, end));
        const found = finder.find(history, renamed, text);
        expect(found).toEqual(new Finder().find(history, renamed, text));
        const needle = needleOf(text);
        const all = [...history, ...renamed].map((block) => (block.kind === 'user' ? block.text : ''));
        const plain = needle === null ? 0 : all.reduce((sum, part) => sum + countIn(part, needle), 0);
        expect(found.total).toBe(plain);
      }),
    );
  });

  it('numbers every find once, and goes round at the ends', () => {
    fc.assert(
      fc.property(talk, (blocks) => {
        const found = new Finder().find(blocks, [], 'a');
        for (let number = 1; number <= found.total; number += 1) {
          const place = placeOf(found, number);
          expect(place === null ? null : numberOf(found, place)).toBe(number);
        }
        if (found.total > 0) {
          expect(placeOf(found, 0)).toEqual(placeOf(found, found.total));
          expect(placeOf(found, found.total + 1)).toEqual(placeOf(found, 1));
        }
      }),
    );
  });

  it('takes capitals for meant, and nothing for a pattern', () => {
    const find = (text: string, needle: string): number =>
      new Finder().find([said(text, 0)], [], needle).total;
    expect(find('Error error ERROR', 'error')).toBe(3);
    expect(find('Error error ERROR', 'Error')).toBe(1);
    expect(find('a.b axb', 'a.b')).toBe(1);
    expect(find('x-[y]*', '-[y]*')).toBe(1);
    expect(find('a\\-b', '\\-')).toBe(1);
    expect(find('a', ' ')).toBe(0);
  });

  it('looks into folded output and arguments', () => {
    const block: Block = {
      kind: 'tool',
      id: 't',
      revision: 0,
      call: 'c',
      name: 'bash',
      title: 'ls',
      status: 'ok',
      startedAt: 0,
      durationMs: 0,
      args: { command: 'ls', deep: 'needle' },
      output: 'a needle',
      diff: '',
      notice: '',
    };
    expect(new Finder().find([block], [], 'needle').total).toBe(2);
  });
});

describe('finds in rows', () => {
  const rows = ['one a', '', 'a a', 'b'].map((text) => rowOf([span(text, 'text')]));

  it('are located by their number; where fewer are shown, the last one', () => {
    const needle = needleOf('a');
    if (needle === null) throw new Error('no needle');
    expect(locate(rows, needle, 0)).toEqual({ row: 0, nth: 0, exact: true });
    expect(locate(rows, needle, 2)).toEqual({ row: 2, nth: 1, exact: true });
    expect(locate(rows, needle, 7)).toEqual({ row: 2, nth: 1, exact: false });
    const missing = needleOf('zzz');
    expect(missing === null ? null : locate(rows, missing, 0)).toBeNull();
  });

  it('are marked without a change of text or width', () => {
    fc.assert(
      fc.property(
        niceText,
        niceText,
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
        (one, two, text) => {
          const clean = (part: string): string => part.replaceAll(/[\n\t]/g, ' ');
          const row = rowOf([span(clean(one), 'text'), span(clean(two), 'code')]);
          const needle = needleOf(text);
          if (needle === null) return;
          const marked = withFinds(row, needle, 0);
          expect(rowText(marked)).toBe(rowText(row));
          expect(marked.width).toBe(row.width);
        },
      ),
    );
  });

  it('the chosen one stands out', () => {
    const needle = needleOf('a');
    if (needle === null) throw new Error('no needle');
    const styles = withFinds(rowOf([span('xaya', 'text')]), needle, 1).spans.map(({ style }) => style);
    expect(styles).toEqual(['text', 'match', 'text', 'selected']);
  });
});
