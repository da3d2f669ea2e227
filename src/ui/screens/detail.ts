/** The screen that shows one thing in full: a title, its parts to scroll through, and the keys. */
import { diffRows } from '../../render/diff.ts';
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import type { State } from '../../store/state.ts';
import type { Block } from '../../transcript/blocks.ts';
import { type Frame, fitRows, type Size } from '../frame.ts';
import { keyHint } from '../keys/bindings.ts';
import { blockName, rawText } from '../reading/block-text.ts';
import { questionSections, type Section, sectionsOf } from '../reading/detail-content.ts';
import { wordsAt } from '../reading/mark-words.ts';
import type { Detail } from '../reading/reading.ts';
import { bar } from '../rows/bar.ts';
import { seconds } from '../rows/format.ts';
import type { Talk } from '../talk.ts';

export interface DetailInput {
  readonly state: State;
  readonly talk: Talk;
  readonly detail: Detail;
}

/** Title, blank row, keys. */
const FIXED_ROWS = 3;

/** Rows that the content gets. */
export function detailHeight({ rows }: Size): number {
  return Math.max(1, rows - FIXED_ROWS);
}

export function detailFrame(input: DetailInput, size: Size, hint: string): Frame {
  const { columns } = size;
  const height = detailHeight(size);
  const parts = contentParts(input, columns);
  const count = lengthOf(parts);
  const top = Math.min(input.detail.top, Math.max(0, count - height));
  const shown = windowOf(parts, top, height).map((row) => indented(row, columns));
  const place =
    count > height
      ? `${(top + shown.length).toLocaleString('en')} of ${count.toLocaleString('en')} rows `
      : '';
  const keys = ` ${keyHint('detail.page-down')}  ${keyHint('detail.copy')}  ${keyHint('detail.close')}`;
  const left = hint === '' ? span(keys, 'dim') : span(` ${hint}`, 'warn');
  return {
    rows: fitRows(
      [
        titleRow(input, columns),
        BLANK_ROW,
        ...fitRows(shown, height),
        bar(columns, [left], [span(place, 'dim')]),
      ],
      size.rows,
    ),
    cursor: null,
  };
}

/** Rows of all that is shown, at this width. */
export function detailRowCount(input: DetailInput, columns: number): number {
  return lengthOf(contentParts(input, columns));
}

/** Runs of rows: a long one is never copied. */
type Parts = readonly (readonly Row[])[];

function lengthOf(parts: Parts): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function windowOf(parts: Parts, top: number, height: number): readonly Row[] {
  const rows: Row[] = [];
  let from = top;
  for (const part of parts) {
    if (from < part.length) rows.push(...part.slice(from, from + height - rows.length));
    from = Math.max(0, from - part.length);
  }
  return rows;
}

/** What a copy of it holds: as it was written. */
export function detailText({ detail, state, talk }: DetailInput): string {
  const question = questionOf(state, detail);
  if (question !== null)
    return typeof question.args.command === 'string' ? question.args.command : question.title;
  const block = blockOf(detail, talk);
  if (block === null) return '';
  return detail.output !== null && detail.output.text !== '' ? detail.output.text : rawText(block);
}

function titleRow({ detail, state, talk }: DetailInput, columns: number): Row {
  const question = questionOf(state, detail);
  if (question !== null) return named(`${question.toolName} asks for permission`, '', '', columns);
  const block = blockOf(detail, talk);
  if (block === null) return named('It is not in the talk any more', '', '', columns);
  if (block.kind !== 'tool') return named(blockName(block), '', '', columns);
  const lasted = block.durationMs === null ? '' : `  ${seconds(block.durationMs)}`;
  const code = block.exitCode === undefined ? block.status : `exit ${block.exitCode}`;
  return named(block.name, ` · ${block.title}`, `${code}${lasted}`, columns);
}

function named(name: string, more: string, right: string, columns: number): Row {
  const capital = name.slice(0, 1).toUpperCase() + name.slice(1);
  const left = [
    span(` ${sanitiseLine(more === '' ? capital : name)}`, 'strong'),
    span(sanitiseLine(more), 'text'),
  ];
  return bar(columns, left, [span(`${sanitiseLine(right)} `, 'dim')]);
}

function contentParts({ detail, state, talk }: DetailInput, columns: number): Parts {
  const question = questionOf(state, detail);
  const block = blockOf(detail, talk);
  const width = Math.max(2, columns - indentOf(columns) * 2);
  const sections =
    question !== null ? questionSections(question) : block === null ? [] : sectionsOf(block, detail.output);
  const parts: (readonly Row[])[] = [];
  const note = block === null ? '' : wordsAt(state.marks, block.id);
  if (note !== '') parts.push(textRows(note, 'warn', width));
  for (const [place, section] of sections.entries()) {
    const lines = sectionRows(section, detail, place, width);
    const single = singleRow(section, lines, width);
    if (single !== null) {
      parts.push([single]);
      continue;
    }
    if (parts.length > 0) parts.push([BLANK_ROW]);
    if (section.label !== '') parts.push([rowOf([span(sanitiseLine(section.label), 'heading')])]);
    parts.push(lines);
  }
  return parts;
}

/** A short argument stands beside its name. */
function singleRow({ as, label }: Section, lines: readonly Row[], width: number): Row | null {
  const [line] = lines;
  const name = sanitiseLine(label);
  const isShort = as === 'text' && label !== '' && !label.startsWith('output') && lines.length === 1;
  if (!isShort || line === undefined || cellWidth(name) + 2 + line.width > width) return null;
  return rowOf([span(`${name}  `, 'dim'), ...line.spans]);
}

function indentOf(columns: number): number {
  return columns > 24 ? 2 : 0;
}

function indented(row: Row, columns: number): Row {
  return row.width === 0 ? BLANK_ROW : rowOf([span(' '.repeat(indentOf(columns)), 'text'), ...row.spans]);
}

function sectionRows(section: Section, detail: Detail, place: number, width: number): readonly Row[] {
  if (section.as === 'diff') return diffRows(section.text, width);
  return detail.rows.of(place, section.text, section.style, width);
}

function blockOf({ target }: Detail, talk: Talk): Block | null {
  return target.kind === 'block' ? talk.block(target.id) : null;
}

function questionOf({ live }: State, { target }: Detail) {
  if (target.kind !== 'question') return null;
  return live?.envelopes?.questions.find(({ call }) => call === target.call) ?? null;
}
