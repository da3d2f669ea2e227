/**
 * A tool call: one line with its state, its title and how it ended; below it, when unfolded, what it was called
 * with and what came out, or what it changed.
 */
import { diffRows, diffSize } from '../../../render/diff.ts';
import { type Row, type Span, type Style, span } from '../../../render/row.ts';
import { rowOf, spansWidth } from '../../../render/row-builder.ts';
import { sanitise, sanitiseLine } from '../../../render/sanitise.ts';
import { cellWidth, expandTabs } from '../../../render/width.ts';
import { breakSpans, textRows } from '../../../render/wrap.ts';
import type { ToolBlock } from '../../../transcript/blocks.ts';
import { bar } from '../bar.ts';
import { bytes, seconds } from '../format.ts';
import { bounded, type Look, type LookOptions, MAX_DETAIL_ROWS } from './look.ts';

const NAME_CELLS = 8;
const DURATION_CELLS = 7;
/** Narrower cards leave out what is only good to know. */
const ROOMY_CELLS = 60;
const DETAIL_INDENT = '    ';
const NOTICE_INDENT = [span('             ', 'text')];

const STATES: Record<ToolBlock['status'], { mark: string; style: Style; word: string }> = {
  running: { mark: '◐', style: 'accent', word: 'running' },
  ok: { mark: '▸', style: 'dim', word: '' },
  error: { mark: '✗', style: 'bad', word: 'failed' },
  denied: { mark: '⊘', style: 'warn', word: 'not allowed' },
  cancelled: { mark: '■', style: 'dim', word: 'stopped' },
  unknown: { mark: '▸', style: 'dim', word: '' },
};

const WAITING = { mark: '?', style: 'warn', word: 'waits for you' } as const;

function stateOf({ asks, status }: ToolBlock): { mark: string; style: Style; word: string } {
  return asks === true && status === 'running' ? WAITING : STATES[status];
}

export function toolLook(block: ToolBlock, { fold, width }: LookOptions): Look {
  const notice =
    block.notice === ''
      ? []
      : textRows(block.notice, 'warn', width, { first: NOTICE_INDENT, rest: NOTICE_INDENT });
  const hasTools = (block.tools ?? 0) > 0;
  const hasDetails = hasTools || block.diff !== '' || block.output !== '' || argumentsOf(block).length > 0;
  if (!hasDetails) return { rows: [card(block, width, 'folded'), ...notice], folds: [] };
  if (fold === 'folded')
    return { rows: [card(block, width, 'folded'), ...notice], folds: ['folded', 'open'] };
  const details = detailRows(block, width);
  return {
    rows: [
      card(block, width, 'open'),
      ...notice,
      ...(fold === 'open' ? bounded(details, MAX_DETAIL_ROWS, DETAIL_INDENT, width) : details),
    ],
    folds: details.length > MAX_DETAIL_ROWS ? ['folded', 'open', 'all'] : ['folded', 'open'],
  };
}

function card(block: ToolBlock, width: number, details: 'folded' | 'open'): Row {
  const { style } = stateOf(block);
  const mark = markOf(block);
  const name = sanitiseLine(block.name);
  const padding = ' '.repeat(Math.max(1, NAME_CELLS + 1 - cellWidth(name)));
  const left = [
    span(block.agent === undefined ? '  ' : '    ', 'text'),
    span(`${mark === '▸' && details === 'open' ? '▾' : mark} `, style),
    span(name, 'strong'),
    span(`${padding}${sanitiseLine(block.title)}`, 'text'),
  ];
  const right = [...resultSpans(block), ...durationSpans(block)];
  const isTight = spansWidth([...left, ...right]) + 1 > width && width < ROOMY_CELLS;
  // What it was called with says more than how much came out.
  return bar(width, left, isTight && isQuiet(block) ? durationSpans(block) : right);
}

/** Whether how it ended goes without saying. */
function isQuiet({ diff, status }: ToolBlock): boolean {
  return status === 'ok' && diff === '';
}

/** A subagent at work turns. */
function markOf(block: ToolBlock): string {
  return block.runs !== undefined && block.status === 'running' ? '⟳' : stateOf(block).mark;
}

function durationSpans({ durationMs }: ToolBlock): Span[] {
  return durationMs === null ? [] : [span(seconds(durationMs).padStart(DURATION_CELLS + 1), 'dim')];
}

/** How it ended, in a few words: what it changed, how it failed, or how much came out. */
function resultSpans(block: ToolBlock): Span[] {
  const { style, word } = stateOf(block);
  if (block.status === 'error' && block.exitCode !== undefined && block.exitCode !== 0)
    return [span(`exit ${block.exitCode}`, style)];
  if (block.tools !== undefined && block.tools > 0 && block.status !== 'error')
    return [span(`${block.tools} ${block.tools === 1 ? 'tool' : 'tools'}`, 'dim')];
  if (word !== '') return [span(word, style)];
  if (block.diff !== '') {
    const { added, removed } = diffSize(block.diff);
    const gone = removed === 0 ? [] : [span(` −${removed}`, 'removed')];
    return added === 0 && removed > 0 ? gone : [span(`+${added}`, 'added'), ...gone];
  }
  return [span(amount(block), 'dim')];
}

/** Lines of the output, or its size where we have only its start; nothing for a line or none. */
function amount({ output, outputBytes }: ToolBlock): string {
  if (outputBytes !== undefined && outputBytes > Buffer.byteLength(output)) return bytes(outputBytes);
  const lines = output.trimEnd().split('\n').length;
  return lines > 1 ? `${lines.toLocaleString('en')} lines` : '';
}

function detailRows(block: ToolBlock, width: number): readonly Row[] {
  const indent = [span(width > DETAIL_INDENT.length * 3 ? DETAIL_INDENT : '  ', 'text')];
  if (block.diff !== '')
    return diffRows(block.diff, Math.max(2, width - spansWidth(indent))).map((row) =>
      rowOf([...indent, ...row.spans]),
    );
  const prefixes = { first: indent, rest: indent };
  const called = argumentsOf(block).flatMap(([name, value]) =>
    breakSpans([span(`${name}  `, 'dim'), span(value, 'syntax-string')], width, prefixes),
  );
  const output = block.output.trimEnd();
  if (output === '') return called;
  return [...called, ...breakSpans([span(expandTabs(sanitise(output)), 'code')], width, prefixes)];
}

/** Arguments that the title does not say already. */
function argumentsOf({ args, title }: ToolBlock): readonly (readonly [string, string])[] {
  return Object.entries(args ?? {})
    .map(
      ([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')] as const,
    )
    .filter(([, value]) => value !== '' && !title.includes(value))
    .map(([name, value]) => [sanitiseLine(name), expandTabs(sanitise(value))] as const);
}
