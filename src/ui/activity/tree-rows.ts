/** One row for each line of the activity: state, name, title, and how long it took. */
import { type Row, type Span, type Style, span } from '../../render/row.ts';
import { rowOf, spansWidth } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import type { ActivityNode, ActivityState } from '../../transcript/activity.ts';
import { bar } from '../rows/bar.ts';
import { clock, seconds } from '../rows/format.ts';
import type { ActivityLine } from './lines.ts';

/** How each state looks, and what it is called where there is room and it is not plain. */
const STATES: Readonly<Record<ActivityState, { mark: string; style: Style; word: string }>> = {
  running: { mark: '◐', style: 'accent', word: '' },
  ok: { mark: '✓', style: 'good', word: '' },
  failed: { mark: '✗', style: 'bad', word: 'failed' },
  denied: { mark: '⊘', style: 'warn', word: 'not allowed' },
  stopped: { mark: '■', style: 'dim', word: 'stopped' },
  unknown: { mark: '?', style: 'dim', word: 'end not known' },
};

const NAME_CELLS = 7;
/** In a narrow column the mark alone says how it ended. */
const WORDS_FROM = 60;
/** Deeper work is shown at this depth. */
const MAX_DEPTH = 4;

/**
 * At most `width` cells.
 * @param now Unix time, ms
 */
export function lineRow(line: ActivityLine, now: number, width: number, isSelected: boolean): Row {
  const { depth, isFolded, node } = line;
  const { mark, style } = STATES[node.state];
  const word = width < WORDS_FROM ? '' : STATES[node.state].word;
  const right = [span(factsOf(node, word, now), 'dim')];
  const left = [
    span('  '.repeat(Math.min(depth, MAX_DEPTH)), 'text'),
    span(node.children.length === 0 ? '' : isFolded ? '▸ ' : '▾ ', 'dim'),
    span(`${mark} `, style),
    ...nameSpans(node),
  ];
  const room = width - spansWidth(left) - spansWidth(right) - 1;
  const title = span(truncate(sanitiseLine(node.title), room), titleStyle(node));
  const row = bar(width, [...left, title], right);
  return isSelected ? rowOf(row.spans.map((part) => span(part.text, 'selected'))) : row;
}

/** A subagent is known by its title. */
function nameSpans({ kind, name, title }: ActivityNode): Span[] {
  if (kind === 'task' && title !== '') return [];
  const short = truncate(sanitiseLine(name), NAME_CELLS);
  const padding = ' '.repeat(NAME_CELLS + 1 - cellWidth(short));
  return [span(short + padding, kind === 'tool' || kind === 'task' ? 'strong' : 'dim')];
}

function titleStyle({ kind }: ActivityNode): Style {
  if (kind === 'task') return 'strong';
  return kind === 'reasoning' ? 'dim' : 'text';
}

/** How it ended, calls below it, and how long it took or has been running; nothing of what is not known. */
function factsOf(node: ActivityNode, word: string, now: number): string {
  const tools = node.tools === 0 ? '' : `${node.tools} ${node.tools === 1 ? 'tool' : 'tools'}`;
  return [word, tools, timeOf(node, now)].filter((fact) => fact !== '').join(' · ');
}

/** How long it took; whole seconds while it runs, as they are counted once a second. */
function timeOf({ durationMs, startedAt, state }: ActivityNode, now: number): string {
  if (durationMs !== null) return seconds(durationMs);
  if (state !== 'running' || startedAt === null) return '';
  const ms = Math.max(0, now - startedAt);
  return ms >= 60_000 ? clock(ms) : `${Math.floor(ms / 1000)} s`;
}
