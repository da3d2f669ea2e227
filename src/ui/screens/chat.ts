/**
 * The chat screen as a frame: header, talk, composer, status.
 * Invariant: the cost of a frame depends on the window's size, never on the length of the talk.
 */
import { BLANK_ROW, type Row, type Span, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { textRows } from '../../render/wrap.ts';
import type { OutboxItem, State } from '../../store/state.ts';
import { caretPlace, type DraftRow, windowTop } from '../composer/layout.ts';
import { type Frame, fitRows } from '../frame.ts';
import { ladderNotice } from '../keys/interrupt-ladder.ts';
import { bar } from '../rows/bar.ts';
import { headerRow } from '../rows/header.ts';
import { questionRows } from '../rows/question-rows.ts';
import { statusRow } from '../rows/status.ts';
import type { Talk, TalkWindow } from '../talk.ts';
import type { View } from '../view.ts';

export interface ChatInput {
  readonly state: State;
  readonly view: View;
  readonly talk: Talk;
  readonly folder: string;
  /** Monotonic time, ms. */
  readonly monotonic: number;
}

const PROMPT = ' › ';
const PROMPT_CELLS = 3;
const LANE_CELLS = 1;
const SCROLLBAR_CELLS = 2;
const MAX_COMPOSER_ROWS = 10;
const MAX_QUEUED_ROWS = 3;
const MAX_NOTICE_ROWS = 3;
const RULE_ROWS = 1;
const STATUS_ROWS = 1;
const ROOMY_ROWS = 16;

/** Cells that the text of the talk may use. */
export function talkWidth(columns: number): number {
  return Math.max(2, columns - LANE_CELLS - SCROLLBAR_CELLS);
}

/** Cells that the draft may use. */
export function draftWidth(columns: number): number {
  return Math.max(2, columns - PROMPT_CELLS);
}

/** The title, and where there is room a blank row below it. */
function headerHeight(view: View): number {
  return view.size.rows >= ROOMY_ROWS ? 2 : 1;
}

/** Rows that the talk gets at this size with this draft and outbox. */
export function talkHeight({ state, view }: Pick<ChatInput, 'state' | 'view'>): number {
  const fixed = headerHeight(view) + RULE_ROWS + STATUS_ROWS;
  const below =
    askedRows(state, view).length +
    composerHeight(view) +
    queuedHeight(state) +
    noticeRows(state, view.size.columns).length;
  return Math.max(1, view.size.rows - fixed - below);
}

export function chatFrame(input: ChatInput): Frame {
  const { state, view, talk } = input;
  const { columns, rows: height } = view.size;
  const window = talk.window(state, view.scroll, { width: talkWidth(columns), height: talkHeight(input) });
  const asked = askedRows(state, view);
  const composer = composerRows(view);
  const rows = [
    ...fitRows([headerRow(state, input.folder, columns)], headerHeight(view)),
    ...talkRows(window, state, columns, talkHeight(input)),
    ruleRow(window, columns),
    ...asked,
    ...composer.rows,
    ...queuedRows(state, columns),
    ...noticeRows(state, columns),
    statusRow({ state, hint: hintOf(input), now: view.now }, columns),
  ];
  const composerTop = headerHeight(view) + talkHeight(input) + RULE_ROWS + asked.length;
  return {
    rows: fitRows(rows, height),
    cursor: {
      x: Math.min(columns - 1, PROMPT_CELLS + composer.column),
      y: Math.min(height - 1, composerTop + composer.row),
    },
  };
}

function talkRows(window: TalkWindow, state: State, columns: number, height: number): Row[] {
  const bare = window.total === 0 ? welcome(state, height) : window.rows;
  const thumb = thumbOf(window, height);
  return fitRows(bare, height).map((row, index) => {
    const mark = thumb === null ? ' ' : index >= thumb.start && index < thumb.end ? '█' : '│';
    if (mark === ' ') return row.width === 0 ? BLANK_ROW : rowOf([span(' ', 'text'), ...row.spans]);
    const gap = ' '.repeat(Math.max(1, columns - LANE_CELLS - row.width - 1));
    return rowOf([span(' ', 'text'), ...row.spans, span(gap, 'text'), span(mark, 'dim')]);
  });
}

function thumbOf(window: TalkWindow, height: number): { start: number; end: number } | null {
  if (window.total <= height) return null;
  const size = Math.max(1, Math.round((height * height) / window.total));
  const start = Math.round((window.top / (window.total - height)) * (height - size));
  return { start, end: start + size };
}

function welcome(state: State, height: number): Row[] {
  if (state.session !== null) return [];
  const text = [
    '  Ask for a change, a review, or an explanation.',
    '  The agent reads and edits files in this folder.',
  ];
  const above = Math.max(0, Math.floor((height - text.length) / 2));
  return [
    ...Array.from({ length: above }, () => BLANK_ROW),
    ...text.map((line) => rowOf([span(line, 'dim')])),
  ];
}

function ruleRow(window: TalkWindow, columns: number): Row {
  if (window.below === 0) return rowOf([span('─'.repeat(columns), 'dim')]);
  const word = ` ${window.below} ${window.below === 1 ? 'row' : 'rows'} below ↓ Ctrl+End `;
  const tail = '──';
  const line = '─'.repeat(Math.max(0, columns - word.length - tail.length));
  return bar(columns, [span(line, 'dim'), span(word, 'accent'), span(tail, 'dim')], []);
}

/** The draft as rows. */
function draftRows(view: View): readonly DraftRow[] {
  return view.layout.rows(view.draft.text, draftWidth(view.size.columns));
}

function composerHeight(view: View): number {
  const rows = draftRows(view).length;
  const most = Math.max(1, Math.min(MAX_COMPOSER_ROWS, Math.floor(view.size.rows / 3)));
  return Math.min(rows, most);
}

function composerRows(view: View): { rows: Row[]; row: number; column: number } {
  const { text, caret } = view.draft;
  const all = draftRows(view);
  const height = composerHeight(view);
  const place = caretPlace(text, all, caret);
  const top = windowTop({ rowCount: all.length, caretRow: place.row, height, previousTop: 0 });
  const rows = all.slice(top, top + height).map((row, index) => {
    const prompt = top + index === 0 ? span(PROMPT, 'accent') : span('   ', 'text');
    const content: Span = text === '' ? span('Write a message', 'dim') : span(row.text, 'text');
    return rowOf([prompt, content]);
  });
  return { rows, row: place.row - top, column: place.column };
}

/** The question that has waited longest. What would run matters more than the talk: it takes the room that it needs. */
function askedRows(state: State, view: View): Row[] {
  const questions = state.live?.envelopes?.questions ?? [];
  const [question] = questions;
  if (question === undefined) return [];
  const { columns, rows } = view.size;
  const kept = headerHeight(view) + RULE_ROWS + STATUS_ROWS + composerHeight(view) + MAX_NOTICE_ROWS + 1;
  return questionRows(question, questions.length - 1, columns, Math.max(1, rows - kept));
}

function queuedHeight(state: State): number {
  return Math.min(MAX_QUEUED_ROWS, waiting(state).length);
}

/** Messages that are not on their way this very moment. */
function waiting({ link, live, outbox }: State): readonly OutboxItem[] {
  if (live !== null || link.kind !== 'ready') return outbox;
  return outbox.filter((item) => item.state === 'uncertain');
}

function queuedRows(state: State, columns: number): Row[] {
  const items = waiting(state);
  const shown = items.slice(0, MAX_QUEUED_ROWS);
  const more = items.length - shown.length;
  return shown.map((item, index) => {
    const right = index === shown.length - 1 && more > 0 ? [span(`+${more} more `, 'dim')] : [];
    const label =
      item.state === 'queued' ? span('   queued: ', 'accent') : span('   not confirmed yet: ', 'warn');
    return bar(columns, [label, span(sanitiseLine(item.text), 'dim')], right);
  });
}

/** What the user should know, whole where three rows hold it. */
function noticeRows({ notice }: State, columns: number): Row[] {
  if (notice === null) return [];
  const indent = { first: [span('   ', 'text')], rest: [span('   ', 'text')] };
  return textRows(notice.text, notice.tone === 'warn' ? 'warn' : 'dim', columns, indent).slice(
    0,
    MAX_NOTICE_ROWS,
  );
}

function hintOf({ view, monotonic }: ChatInput): string {
  const { notice } = ladderNotice(view.ladder, monotonic);
  const key = view.ladder.lastPress?.key === 'ctrl-d' ? 'Ctrl+D' : 'Ctrl+C';
  if (notice === 'press-again') return `${key} again to leave`;
  if (notice === 'stop-unconfirmed')
    return 'The service does not confirm the stop. Ctrl+C leaves; the turn may go on.';
  return '';
}
