/**
 * The chat screen as a frame: header, talk, question, draft, what waits, status.
 * Invariant: the cost of a frame depends on the window's size, never on the length of the talk.
 */
import type { Row } from '../../render/row.ts';
import type { State } from '../../store/state.ts';
import { type Frame, fitRows } from '../frame.ts';
import { ladderNotice } from '../keys/interrupt-ladder.ts';
import { MAX_NOTICE_ROWS, noticeRows, queuedRows } from '../regions/below-region.ts';
import { composerHeight, composerRows } from '../regions/composer-region.ts';
import { ruleRow, talkRows, talkWidth } from '../regions/talk-region.ts';
import { headerRow } from '../rows/header.ts';
import { questionRows } from '../rows/question-rows.ts';
import { statusRow } from '../rows/status.ts';
import type { Talk } from '../talk.ts';
import type { View } from '../view.ts';

export interface ChatInput {
  readonly state: State;
  readonly view: View;
  readonly talk: Talk;
  readonly folder: string;
  /** Monotonic time, ms. */
  readonly monotonic: number;
}

const RULE_ROWS = 1;
const STATUS_ROWS = 1;
const ROOMY_ROWS = 16;

/** The title, and where there is room a blank row below it. */
function headerHeight(view: View): number {
  return view.size.rows >= ROOMY_ROWS ? 2 : 1;
}

/** Everything below the talk but the rule and the status. */
interface Below {
  readonly rows: readonly Row[];
  /** Rows from its top, cells from the left. */
  readonly caret: { readonly row: number; readonly column: number };
}

function belowTalk(state: State, view: View): Below {
  const { columns } = view.size;
  const asked = askedRows(state, view);
  const { rows, caret } = composerRows(view);
  return {
    rows: [...asked, ...rows, ...queuedRows(state, columns), ...noticeRows(state, columns)],
    caret: { row: asked.length + caret.row, column: caret.column },
  };
}

function heightAbove(view: View, below: Below): number {
  const fixed = headerHeight(view) + RULE_ROWS + STATUS_ROWS;
  return Math.max(1, view.size.rows - fixed - below.rows.length);
}

/** Rows that the talk gets at this size with this draft and outbox. */
export function talkHeight({ state, view }: Pick<ChatInput, 'state' | 'view'>): number {
  return heightAbove(view, belowTalk(state, view));
}

export function chatFrame(input: ChatInput): Frame {
  const { state, view, talk } = input;
  const { columns, rows: height } = view.size;
  const below = belowTalk(state, view);
  const area = { width: talkWidth(columns), height: heightAbove(view, below) };
  const window = talk.window(state, view.scroll, area);
  const rows = [
    ...fitRows([headerRow(state, input.folder, columns)], headerHeight(view)),
    ...talkRows(window, state, columns, area.height),
    ruleRow(window, columns),
    ...below.rows,
    statusRow({ state, hint: hintOf(input), now: view.now }, columns),
  ];
  const belowTop = headerHeight(view) + area.height + RULE_ROWS;
  return {
    rows: fitRows(rows, height),
    cursor: {
      x: Math.min(columns - 1, below.caret.column),
      y: Math.min(height - 1, belowTop + below.caret.row),
    },
  };
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

function hintOf({ view, monotonic }: ChatInput): string {
  const { notice } = ladderNotice(view.ladder, monotonic);
  const key = view.ladder.lastPress?.key === 'ctrl-d' ? 'Ctrl+D' : 'Ctrl+C';
  if (notice === 'press-again') return `${key} again to leave`;
  if (notice === 'stop-unconfirmed')
    return 'The service does not confirm the stop. Ctrl+C leaves; the turn may go on.';
  return '';
}
