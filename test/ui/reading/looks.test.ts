import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Row, rowText } from '../../../src/render/row.ts';
import type { Block, ToolBlock } from '../../../src/transcript/blocks.ts';
import { type Fold, type Folds, foldOf, NO_FOLDS, withFold } from '../../../src/ui/reading/folds.ts';
import { blockRows, nextFold } from '../../../src/ui/rows/block-rows.ts';
import { hostileText } from '../../render/text-arbitraries.ts';

const WIDTH = 60;

function tool(change: Partial<ToolBlock> = {}): ToolBlock {
  const head = { kind: 'tool', id: 'tool', revision: 0, call: 'c', name: 'bash', title: 'npm test' } as const;
  const rest = { status: 'ok', startedAt: 0, durationMs: 1200, output: '', diff: '', notice: '' } as const;
  return { ...head, ...rest, ...change };
}

function rowsOf(block: Block, fold: Fold, width = WIDTH): readonly Row[] {
  return blockRows(block, { width, fold, front: [], answer: null });
}

function texts(block: Block, fold: Fold = foldOf(block, NO_FOLDS)): string[] {
  return rowsOf(block, fold).map((row) => rowText(row).trimEnd());
}

/** Folds that pressing the key again and again goes through. */
function round(block: Block): Fold[] {
  let fold = foldOf(block, NO_FOLDS);
  return Array.from({ length: 4 }, () => {
    fold = nextFold(block, { width: WIDTH, fold }) ?? fold;
    return fold;
  });
}

const LINES = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');
const DIFF = (lines: number): string => {
  const added = Array.from({ length: lines }, (_, index) => `+new ${index}`).join('\n');
  return `--- a\n+++ a\n@@ -1,1 +1,${lines} @@\n-old\n${added}\n`;
};

describe('a tool call', () => {
  it('is one line: mark, padded name, title, how it ended, how long it took', () => {
    expect(texts(tool())).toEqual([expect.stringMatching(/^ {2}▸ bash {5}npm test {2,}1\.2 s$/)]);
    expect(texts(tool({ output: LINES(3) }))[0]).toMatch(/3 lines +1\.2 s$/);
    expect(texts(tool({ output: 'x', outputBytes: 4_100_000 }))[0]).toMatch(/4\.1 MB +1\.2 s$/);
    expect(texts(tool({ status: 'error', exitCode: 2 }))[0]).toMatch(/^ {2}✗ .* exit 2 +1\.2 s$/);
    expect(texts(tool({ status: 'denied' }))[0]).toMatch(/not allowed +1\.2 s$/);
  });

  it('shows arguments that its title does not say, and its output, when unfolded', () => {
    const block = tool({ args: { command: 'npm test', timeout: 5, cwd: 'src' }, output: 'one\ntwo\n' });
    expect(texts(block, 'open').slice(1)).toEqual(['    timeout  5', '    cwd  src', '    one', '    two']);
  });

  it('shows twenty rows of a long output, then all of them, then one line again', () => {
    const block = tool({ output: LINES(50) });
    expect(round(block)).toEqual(['open', 'all', 'folded', 'open']);
    expect(texts(block, 'open')).toHaveLength(21);
    expect(texts(block, 'open').at(-1)).toMatch(/… 31 more rows/);
    expect(texts(block, 'all')).toHaveLength(51);
  });

  it('shows a small change by itself and folds a large one', () => {
    expect(texts(tool({ diff: DIFF(2) })).join('\n')).toMatch(/▾ .*\+2 −1[\s\S]*\+ new 1/);
    expect(texts(tool({ diff: DIFF(30) }))).toEqual([expect.stringMatching(/▸ .*\+30 −1/)]);
  });

  it('has nothing to unfold where nothing is known', () => {
    expect(nextFold(tool(), { width: WIDTH, fold: 'folded' })).toBeNull();
  });
});

describe('long texts', () => {
  it('a pasted log gives its start and a count', () => {
    const said: Block = { kind: 'user', id: 'u', revision: 0, text: LINES(40) };
    expect(texts(said)).toHaveLength(12);
    expect(texts(said).at(-1)).toMatch(/… 29 more rows/);
    expect(texts(said, 'all')).toHaveLength(40);
    expect(round(said).slice(0, 2)).toEqual(['all', 'folded']);
    expect(texts({ ...said, text: LINES(20) })).toHaveLength(20);
  });

  it('thinking is one line until it is unfolded, by itself or with all', () => {
    const thought: Block = { kind: 'thinking', id: 't', revision: 0, text: `first\n${LINES(5)}` };
    const open: Folds = { ...NO_FOLDS, thinking: 'open' };
    expect(texts(thought)).toEqual([expect.stringMatching(/^ {2}▸ thought {2}first line 0/)]);
    expect(texts(thought, foldOf(thought, open))).toHaveLength(7);
    expect(foldOf(thought, withFold(open, 't', 'folded'))).toBe('folded');
  });
});

it('no row is wider than its width, whatever is in it and however it is folded', () => {
  const blocks = (text: string): Block[] => [
    { kind: 'user', id: 'u', revision: 0, text },
    { kind: 'thinking', id: 't', revision: 0, text },
    { kind: 'service', id: 's', revision: 0, text, tone: 'notice' },
    tool({ name: text, title: text, output: text, notice: text, args: { [text]: text } }),
    tool({ status: 'error', exitCode: 1, diff: `@@ -1 +1 @@\n-${text}\n+${text}` }),
  ];
  const fold = fc.constantFrom<Fold>('folded', 'open', 'all');
  fc.assert(
    fc.property(hostileText, fold, fc.integer({ min: 8, max: 80 }), (text, chosen, width) => {
      for (const block of blocks(text))
        for (const row of rowsOf(block, chosen, width)) expect(row.width).toBeLessThanOrEqual(width);
    }),
    { numRuns: 150 },
  );
});
