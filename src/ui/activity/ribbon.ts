/**
 * Work over time: one lane for the agent and one for each subagent, cells in proportion to the time since the
 * turn began. Invariants: a cell is filled exactly where a call is known to have run in its time; a call whose
 * beginning or end is not known is not drawn; never more lanes than fit.
 */
import { type Row, type Span, type Style, span } from '../../render/row.ts';
import { rowOf, spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import type { ActivityNode, ActivityTree } from '../../transcript/activity.ts';
import { bar } from '../rows/bar.ts';
import { seconds } from '../rows/format.ts';

const MAX_LANES = 5;
const LABEL_CELLS = 9;
const MIN_CELLS = 8;

export type RibbonMark = 'idle' | 'ran' | 'running';

/** A stretch of work: Unix time, ms. It still runs when it has no end. */
export interface Stretch {
  readonly from: number;
  readonly to: number | null;
}

export interface Lane {
  readonly name: string;
  readonly stretches: readonly Stretch[];
}

/** The agent first, then subagents in the order in which they stand. */
export function lanesOf(nodes: readonly ActivityNode[], name = 'agent'): Lane[] {
  const tasks = nodes.filter(({ kind }) => kind === 'task');
  const own = nodes.filter(({ kind }) => kind === 'tool' || kind === 'compaction');
  const below = tasks.flatMap((task) => lanesOf(task.children, task.title || task.name));
  return [{ name, stretches: own.flatMap(stretchOf) }, ...below];
}

function stretchOf({ durationMs, startedAt, state }: ActivityNode): Stretch[] {
  if (startedAt === null) return [];
  if (state === 'running') return [{ from: startedAt, to: null }];
  return durationMs === null ? [] : [{ from: startedAt, to: startedAt + durationMs }];
}

/** What each of `cells` cells between two times shows. A stretch without length fills the cell that it lies in. */
export function ribbonMarks(
  stretches: readonly Stretch[],
  from: number,
  to: number,
  cells: number,
): RibbonMark[] {
  const marks: RibbonMark[] = Array.from({ length: cells }, () => 'idle');
  const cellMs = Math.max(1, to - from) / cells;
  const cellAt = (time: number): number => Math.min(cells - 1, Math.floor((time - from) / cellMs));
  for (const stretch of stretches) {
    const end = stretch.to ?? to;
    if (end < from || stretch.from > to) continue;
    const last = Math.max(cellAt(stretch.from), Math.ceil((Math.min(end, to) - from) / cellMs) - 1);
    for (let cell = Math.max(0, cellAt(stretch.from)); cell <= Math.min(cells - 1, last); cell += 1)
      if (marks[cell] !== 'running') marks[cell] = stretch.to === null ? 'running' : 'ran';
  }
  return marks;
}

const LOOKS: Readonly<Record<RibbonMark, { letter: string; style: Style }>> = {
  idle: { letter: '·', style: 'dim' },
  ran: { letter: '━', style: 'text' },
  running: { letter: '╍', style: 'accent' },
};

/**
 * Lanes and their scale, each at most `width` cells; none where time is not known, nothing has run, or there is no room.
 * @param now Unix time, ms
 */
export function ribbonRows({ endedAt, nodes, startedAt }: ActivityTree, now: number, width: number): Row[] {
  const cells = width - LABEL_CELLS - 1;
  const to = endedAt ?? now;
  if (startedAt === null || cells < MIN_CELLS || to <= startedAt) return [];
  const lanes = lanesOf(nodes);
  if (lanes.every(({ stretches }) => stretches.length === 0)) return [];
  const shown = lanes.length <= MAX_LANES ? lanes : lanes.slice(0, MAX_LANES - 1);
  const hidden = lanes.length - shown.length;
  const rows = shown.map(({ name, stretches }) =>
    rowOf([label(name), ...ribbonMarks(stretches, startedAt, to, cells).map(cellSpan)]),
  );
  if (hidden > 0) rows.push(rowOf([label(`+${hidden} more`)]));
  return [...rows, scaleRow(to - startedAt, width)];
}

function cellSpan(mark: RibbonMark): Span {
  const { letter, style } = LOOKS[mark];
  return span(letter, style);
}

function label(name: string): Span {
  const short = truncate(sanitiseLine(name), LABEL_CELLS);
  return span(short + ' '.repeat(LABEL_CELLS + 1 - cellWidth(short)), 'dim');
}

function scaleRow(ms: number, width: number): Row {
  const start = [label(''), span('0 s', 'dim')];
  const end = [span(seconds(ms), 'dim')];
  return spansWidth(start) + spansWidth(end) < width ? bar(width, start, end) : bar(width, [label('')], end);
}
