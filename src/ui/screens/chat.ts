/**
 * The chat screen as a frame: header, talk, question, draft, what waits, status.
 * Invariant: the cost of a frame depends on the window's size, never on the length of the talk.
 */
import type { Row } from '../../render/row.ts';
import type { State } from '../../store/state.ts';
import { type Frame, fitRows } from '../frame.ts';
import { ladderNotice } from '../keys/interrupt-ladder.ts';
import { pickerRows } from '../pickers/picker-rows.ts';
import { type Dress, dressed } from '../reading/dress.ts';
import { locate } from '../reading/found-rows.ts';
import { wordsAt } from '../reading/mark-words.ts';
import { needleOf } from '../reading/needle.ts';
import type { Browse } from '../reading/reading.ts';
import { besideTalk, talkColumns } from '../regions/activity-region.ts';
import { MAX_NOTICE_ROWS, noticeRows, queuedRows } from '../regions/below-region.ts';
import { composerHeight, composerRows } from '../regions/composer-region.ts';
import { edgeRow } from '../regions/edge-region.ts';
import { popupRows } from '../regions/popup-region.ts';
import { browseRow, readingKeys, searchRow } from '../regions/reading-region.ts';
import { ruleRow, talkRows, talkWidth } from '../regions/talk-region.ts';
import { headerRow } from '../rows/header.ts';
import { questionRows } from '../rows/question-rows.ts';
import { statusRow } from '../rows/status.ts';
import type { Talk, TalkArea, TalkWindow } from '../talk.ts';
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
/** A title, four offers, and what to press. */
const FEW_ROWS = 6;
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

/** The folder changes no height. */
function belowTalk(state: State, view: View, folder = ''): Below {
  const { columns } = view.size;
  const { rows, caret } = composerRows(view);
  const under = [...queuedRows(state, columns), ...noticeRows(state, columns)];
  const list = listAbove(state, view, popupRoom(view, rows.length + under.length));
  const asked = askedRows(state, view, folder, list.rows.length);
  return {
    rows: [...asked, ...list.rows, ...rows, ...under],
    caret:
      list.caret === null
        ? { row: asked.length + list.rows.length + caret.row, column: caret.column }
        : { row: asked.length + list.caret.row, column: list.caret.column },
  };
}

/** What is open over the draft; the caret is in it where it is written in. */
function listAbove(
  state: State,
  view: View,
  room: number,
): { readonly rows: readonly Row[]; readonly caret: Below['caret'] | null } {
  if (view.picker === null) return { rows: popupRows(view, room), caret: null };
  const { caret, rows } = pickerRows(view.picker, state, view.size.columns, room);
  return { rows, caret: rows.length === 0 ? null : caret };
}

/** The list of offers takes a third of the window, or a few rows of a small one, if the draft and the talk leave as much. */
function popupRoom(view: View, taken: number): number {
  const { rows } = view.size;
  const left = rows - headerHeight(view) - RULE_ROWS - STATUS_ROWS - 1 - taken;
  return Math.max(0, Math.min(Math.max(FEW_ROWS, Math.floor(rows / 3)), left));
}

function heightAbove(view: View, below: Below): number {
  const fixed = headerHeight(view) + RULE_ROWS + STATUS_ROWS;
  return Math.max(1, view.size.rows - fixed - below.rows.length);
}

/** What the talk gets at this size with this draft and outbox, and with the activity beside it. */
export function talkArea({ state, view }: Pick<ChatInput, 'state' | 'view'>): TalkArea {
  return areaAbove(view, belowTalk(state, view));
}

function areaAbove(view: View, below: Below): TalkArea {
  return { width: talkWidth(talkColumns(view)), height: heightAbove(view, below), look: view.look };
}

export function chatFrame(input: ChatInput): Frame {
  const { state, view, talk } = input;
  const { columns, rows: height } = view.size;
  const below = belowTalk(state, view, input.folder);
  const area = areaAbove(view, below);
  const window = talk.window(state, view.scroll, area);
  const rule = ruleOf(input, window);
  const rows = [
    ...fitRows(
      [headerRow(state, input.folder, columns), edgeRow(state, window, columns)],
      headerHeight(view),
    ),
    ...besideTalk(shownTalk(input, window, area), state, view),
    rule.row,
    ...below.rows,
    statusRow({ state, hint: hintOf(input), keys: readingKeys(view), now: view.now }, columns),
  ];
  const belowTop = headerHeight(view) + area.height + RULE_ROWS;
  const caret = rule.column === null ? below.caret : { row: -RULE_ROWS, column: rule.column };
  const cursor = {
    x: Math.min(columns - 1, caret.column),
    y: Math.min(height - 1, belowTop + caret.row),
  };
  return { rows: fitRows(rows, height), cursor: view.browse === null ? cursor : null };
}

/** The row below the talk; `column` of the caret where it is written in. */
function ruleOf({ state, talk, view }: ChatInput, window: TalkWindow): { row: Row; column: number | null } {
  const { columns } = view.size;
  const { browse, search } = view;
  if (search !== null) return searchRow(search, talk.found(state, search.field.text), state, columns);
  if (browse === null) return { row: ruleRow(window, columns), column: null };
  return {
    row: browseRow(talk.block(browse.block), wordsAt(state.marks, browse.block), columns),
    column: null,
  };
}

function shownTalk(input: ChatInput, window: TalkWindow, area: TalkArea): Row[] {
  const columns = talkColumns(input.view);
  return talkRows(window, dressed(window, dressOf(input, area)), input.state, {
    columns,
    height: area.height,
  });
}

/** What the reader is doing to the rows of the talk. */
function dressOf({ state, talk, view }: ChatInput, area: TalkArea): Dress {
  const { browse, search } = view;
  const at = search?.at ?? browse?.at ?? null;
  const needle = search === null && at === null ? null : needleOf(search?.field.text ?? view.sought);
  const found =
    at === null || needle === null ? null : locate(talk.rows(state, area, at.block), needle, at.nth);
  return {
    isChosen: (id) => browse !== null && isSelected(browse, id, talk),
    needle,
    chosen: at === null || found === null ? null : { ...found, block: at.block },
    marks: state.marks,
  };
}

/** A selection reaches from where it began to the chosen block, in either direction. */
function isSelected({ block, from }: Browse, id: string, talk: Talk): boolean {
  if (from === null || talk.block(from) === null) return id === block;
  return talk.order(id, from) * talk.order(id, block) <= 0;
}

/** The question that has waited longest. What would run matters more than the talk: it takes the room that it needs. */
function askedRows(state: State, view: View, folder: string, popup: number): Row[] {
  const questions = state.live?.envelopes?.questions ?? [];
  const [question] = questions;
  if (question === undefined) return [];
  const { columns, rows } = view.size;
  const kept =
    headerHeight(view) + RULE_ROWS + STATUS_ROWS + composerHeight(view) + MAX_NOTICE_ROWS + popup + 1;
  const place = { folder, confined: state.choices.sandbox, more: questions.length - 1 };
  return questionRows(question, place, columns, Math.max(1, rows - kept));
}

function hintOf({ view, monotonic }: ChatInput): string {
  const { notice } = ladderNotice(view.ladder, monotonic);
  if (notice === null && view.hint !== null && view.hint.until > monotonic) return view.hint.text;
  const key = view.ladder.lastPress?.key === 'ctrl-d' ? 'Ctrl+D' : 'Ctrl+C';
  if (notice === 'press-again') return `${key} again to leave`;
  if (notice === 'stop-unconfirmed')
    return 'The service does not confirm the stop. Ctrl+C leaves; the turn may go on.';
  return '';
}
