/** The activity as rows: what it says, and that it fits wherever it stands. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowText } from '../../../src/render/row.ts';
import type { ActivityNode, ActivityTree } from '../../../src/transcript/activity.ts';
import { type ActivityView, INITIAL_ACTIVITY } from '../../../src/ui/activity/activity-view.ts';
import { activityLines, chosenLine } from '../../../src/ui/activity/lines.ts';
import { panelRows } from '../../../src/ui/activity/panel.ts';
import { lanesOf, ribbonMarks, ribbonRows } from '../../../src/ui/activity/ribbon.ts';

function node(id: string, change: Partial<ActivityNode> = {}): ActivityNode {
  return {
    id,
    kind: 'tool',
    name: 'bash',
    title: id,
    state: 'ok',
    startedAt: 0,
    durationMs: 0,
    tools: 0,
    children: [],
    ...change,
  };
}

function task(
  id: string,
  children: readonly ActivityNode[],
  change: Partial<ActivityNode> = {},
): ActivityNode {
  return node(id, { kind: 'task', name: 'task', children, tools: children.length, ...change });
}

function treeOf(nodes: readonly ActivityNode[], change: Partial<ActivityTree> = {}): ActivityTree {
  return { nodes, startedAt: 0, endedAt: null, dropped: 0, ...change };
}

function panel(
  tree: ActivityTree,
  size: { width: number; height: number },
  change: Partial<ActivityView> = {},
) {
  const activity = { ...INITIAL_ACTIVITY, ...change };
  const rows = panelRows({ shown: { tree, which: 'this' }, activity, now: 20_000 }, size.width, size.height);
  return { rows, texts: rows.map((row) => rowText(row).trimEnd()) };
}

const WIDE = { width: 36, height: 20 };

describe('the panel', () => {
  it('says what runs, what ran, how long, and what is below', () => {
    const tree = treeOf([
      node('npm test', { durationMs: 14_200 }),
      task(
        'Check callers',
        [node('grep sleep', { startedAt: 14_200, durationMs: 100 }), node('x', { state: 'failed' })],
        {
          state: 'running',
          startedAt: 12_000,
          durationMs: null,
        },
      ),
      node('rm', { state: 'denied' }),
      node('left', { state: 'unknown', durationMs: null }),
    ]);
    expect(panel(tree, WIDE).texts).toEqual([
      'Activity              6 tools · 0:20',
      expect.stringMatching(/^agent {5}━+·+$/),
      expect.stringMatching(/^Check ca… ━·+━·+$/),
      '          0 s                 20.0 s',
      '',
      '✓ bash    npm test            14.2 s',
      '▾ ◐ Check callers      2 tools · 8 s',
      '  ✓ bash    grep sleep         0.1 s',
      '  ✗ bash    x                  0.0 s',
      '⊘ bash    rm                   0.0 s',
      '? bash    left',
      ...Array.from({ length: 9 }, () => ''),
    ]);
  });

  it('says in words how something ended where there is room', () => {
    const tree = treeOf([node('rm', { state: 'denied' }), node('x', { state: 'unknown', durationMs: null })]);
    const { texts } = panel(tree, { width: 70, height: 8 });
    expect(texts[1]).toMatch(/^⊘ bash {4}rm +not allowed · 0\.0 s$/);
    expect(texts[2]).toMatch(/^\? bash {4}x +end not known$/);
  });

  it('leaves out what is folded away, and says what was not told', () => {
    const tree = treeOf([task('Look', [node('inner')])], { dropped: 3 });
    const { texts } = panel(tree, WIDE, { folded: new Set(['Look']) });
    expect(texts.join('\n')).toContain('▸ ✓ Look');
    expect(texts.join('\n')).not.toContain('inner');
    expect(texts).toContain('┆ 3 updates not told');
  });

  it('marks the chosen line while it has the keys, and keeps it in sight', () => {
    const tree = treeOf(Array.from({ length: 50 }, (_, index) => node(`call ${index}`)));
    const { rows, texts } = panel(tree, { width: 36, height: 10 }, { hasKeys: true, selected: 'call 20' });
    const marked = rows.filter((row) => row.spans.some(({ style }) => style === 'selected')).map(rowText);
    expect(marked).toEqual([expect.stringContaining('call 20')]);
    expect(texts).toContain('↑ 17 more');
    expect(texts).toContain('↓ 26 more');
  });

  it('follows the newest line while none is chosen', () => {
    const tree = treeOf(Array.from({ length: 50 }, (_, index) => node(`call ${index}`)));
    expect(panel(tree, { width: 36, height: 10 }).texts.join('\n')).toContain('call 49');
  });

  it('fits every width, whatever is in it', () => {
    const hostile = fc.constantFrom(
      '漢字'.repeat(90),
      '\u001b]0;x\u0007\u001b[2Jboo',
      'a\nb\tc',
      '',
      'x'.repeat(300),
    );
    const states = fc.constantFrom<ActivityNode['state']>(
      'running',
      'ok',
      'failed',
      'denied',
      'stopped',
      'unknown',
    );
    const time = fc.option(fc.nat(100_000), { nil: null });
    const leaf = fc
      .record({ name: hostile, title: hostile, state: states, startedAt: time, durationMs: time })
      .map((change) => node('n', change));
    const nodes = fc.array(
      fc.tuple(leaf, fc.array(leaf, { maxLength: 4 })).map(([top, below]) => task(top.title, below, top)),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        nodes,
        fc.integer({ min: 20, max: 120 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (made, width, height, hasKeys) => {
          const { rows } = panel(treeOf(made, { dropped: 1 }), { width, height }, { hasKeys });
          expect(rows.length).toBe(height);
          for (const row of rows) expect(row.width).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

describe('the ribbon', () => {
  it('fills the cells in whose time something ran, to scale', () => {
    const marks = ribbonMarks(
      [
        { from: 20, to: 40 },
        { from: 90, to: null },
      ],
      0,
      100,
      10,
    );
    expect(marks.map((mark) => mark.slice(0, 4)).join(' ')).toBe(
      'idle idle ran ran idle idle idle idle idle runn',
    );
  });

  it('shows a call of no length where it was, and nothing outside its time', () => {
    expect(ribbonMarks([{ from: 50, to: 50 }], 0, 100, 4).indexOf('ran')).toBe(2);
    expect(ribbonMarks([{ from: 100, to: 100 }], 0, 100, 4)).toEqual(['idle', 'idle', 'idle', 'ran']);
    expect(new Set(ribbonMarks([{ from: 200, to: 300 }], 0, 100, 4))).toEqual(new Set(['idle']));
  });

  it('fills a cell exactly where a call overlaps its time', () => {
    const times = fc
      .tuple(fc.nat(1000), fc.nat(1000))
      .map(([from, length]) => ({ from, to: from + length + 1 }));
    fc.assert(
      fc.property(fc.array(times, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), (stretches, cells) => {
        const marks = ribbonMarks(stretches, 0, 1000, cells);
        expect(marks.length).toBe(cells);
        const cellMs = 1000 / cells;
        for (const [cell, mark] of marks.entries()) {
          // The borders themselves may fall on either side of a rounded number.
          const [from, to] = [cell * cellMs + 1e-6, (cell + 1) * cellMs - 1e-6];
          const isBusy = stretches.some((stretch) => stretch.from < to && stretch.to > from);
          if (isBusy) expect(mark).toBe('ran');
        }
      }),
    );
  });

  it('draws nothing of a call whose beginning or end is not known', () => {
    const [lane] = lanesOf([
      node('a', { startedAt: null }),
      node('b', { durationMs: null, state: 'unknown' }),
    ]);
    expect(lane?.stretches).toEqual([]);
  });

  it('has a lane for each subagent up to five, and counts the others', () => {
    const many = Array.from({ length: 8 }, (_, index) =>
      task(`job ${index}`, [node('x', { durationMs: 9 })]),
    );
    const rows = ribbonRows(treeOf(many), 100, 36).map((row) => rowText(row).trimEnd());
    expect(rows.map((row) => row.slice(0, 8).trimEnd())).toEqual([
      'agent',
      'job 0',
      'job 1',
      'job 2',
      '+5 more',
      '',
    ]);
  });

  it('is left out where time is not known or there is no room', () => {
    expect(ribbonRows(treeOf([node('a')], { startedAt: null }), 100, 36)).toEqual([]);
    expect(ribbonRows(treeOf([node('a')]), 100, 12)).toEqual([]);
  });
});

describe('lines', () => {
  const nodes = [task('a', [node('b'), node('c')]), node('d')];

  it('go down the tree', () => {
    expect(activityLines(nodes, new Set()).map(({ depth, node: { id } }) => `${depth}${id}`)).toEqual([
      '0a',
      '1b',
      '1c',
      '0d',
    ]);
  });

  it('fall back to the newest when the chosen one is gone', () => {
    const lines = activityLines(nodes, new Set(['a']));
    expect([chosenLine(lines, 'a'), chosenLine(lines, 'b'), chosenLine([], 'b')]).toEqual([0, 1, 0]);
  });
});
