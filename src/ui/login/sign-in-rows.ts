/** A sign-in as rows: how far it has come, the link, what to do with it, and how it ended. */
import { BLANK_ROW, type Row, type Span, type Style, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { cellWidth, truncate } from '../../render/width.ts';
import { breakSpans, textRows } from '../../render/wrap.ts';
import { type SignInEnd, type SignInState, STAGES, type Stage } from '../../store/sign-in.ts';
import { endWords, stageWords } from '../../store/sign-in-words.ts';
import { keyName } from '../keys/bindings.ts';
import { bar } from '../rows/bar.ts';
import { clock } from '../rows/format.ts';
import { linkRows } from './link-rows.ts';
import type { LoginView } from './login-view.ts';

export interface SignInInput {
  readonly signIn: SignInState;
  readonly login: LoginView;
  /** Why no browser can be opened here; null when one can. */
  readonly noBrowser: 'remote' | 'no-display' | null;
  /** What answers from now on; empty where that is not known. */
  readonly answers: string;
  /** Unix time, ms. */
  readonly now: number;
}

export interface SignInRows {
  readonly rows: readonly Row[];
  /** Where the field's caret is; null without a field. */
  readonly caret: { readonly row: number; readonly column: number } | null;
}

const MARGIN = '   ';
const INDENT = { first: [span(MARGIN, 'text')], rest: [span(MARGIN, 'text')] };
const TITLE = ' Sign in';
/** Fewer cells name nobody. */
const LEAST_ID = 8;
const MAX_DOTS = 24;
const ROOMY_CELLS = 60;

/** The title row: what is signed in to, what happens, and the time that is left. */
export function signInTitle({ now, signIn }: SignInInput, width: number): Row {
  const left = signIn.deadline === null ? [] : [`${clock(signIn.deadline - now)} left`];
  // The marks below say it again.
  const words = width < ROOMY_CELLS && left.length > 0 ? [] : [stageWords(signIn)];
  const state = signIn.end === null ? `${[...words, ...left].join(' · ')} ` : '';
  const room = width - TITLE.length - (state === '' ? 0 : cellWidth(state) + 1);
  const id = truncate(` · ${sanitiseLine(signIn.providerId)}`, room);
  const named = [span(TITLE, 'strong'), span(room < LEAST_ID ? '' : id, 'dim')];
  return bar(width, named, state === '' ? [] : [span(state, 'accent')]);
}

/** The link as long as there is something to do with it; null otherwise. */
export function linkOf({ end, stage, url }: SignInState): string | null {
  const isAnswered = stage === 'callback_received' || stage === 'callback_accepted';
  return end !== null || isAnswered ? null : url;
}

export function signInRows(input: SignInInput, width: number): SignInRows {
  const { login, noBrowser, signIn } = input;
  if (signIn.end !== null) return { rows: endRows(signIn.end, input.answers, width), caret: null };
  const rows: Row[] = [...stageRows(signIn, width), BLANK_ROW];
  const link = linkOf(signIn);
  if (link === null) return { rows, caret: null };
  // A code needs all the room there is, and nobody reads beside it.
  if (login.qr !== null) return { rows: [...login.qr], caret: null };
  rows.push(...words('Open this link:', 'text', width), ...linkRows(link, width), BLANK_ROW);
  // Once it is known that the browser cannot come back, nothing is forwarded.
  if (noBrowser === 'remote' && signIn.note === '' && signIn.pasted === 'no')
    rows.push(...forwardRows(width), BLANK_ROW);
  rows.push(
    ...words(
      'When the browser has ended, paste its final address or the code here; it is not shown:',
      'dim',
      width,
    ),
  );
  const { column, row } = fieldRow(signIn, login, width);
  rows.push(row);
  const caret = login.focus === 'field' && signIn.pasted === 'no' ? { row: rows.length - 1, column } : null;
  if (signIn.note !== '') rows.push(...words(signIn.note, 'warn', width));
  return { rows, caret };
}

function words(text: string, style: Style, width: number): Row[] {
  return textRows(text, style, width, INDENT);
}

function endRows(end: SignInEnd, answers: string, width: number): Row[] {
  const { next, sentence } = endWords(end);
  if (next !== '') return [...words(`✗ ${sentence}`, 'warn', width), ...words(next, 'text', width)];
  const now = answers === '' ? [] : [BLANK_ROW, ...words(answers, 'text', width)];
  return [...words(`✓ ${sentence}`, 'good', width), ...now];
}

const FORWARD = 'ssh -L 1455:localhost:1455 you@host';

/** The command stands alone and whole: where it is too long for a row, its rows hold nothing else. */
function forwardRows(width: number): Row[] {
  const command =
    FORWARD.length + MARGIN.length <= width
      ? [rowOf([span(MARGIN, 'text'), span(FORWARD, 'strong')])]
      : breakSpans([span(FORWARD, 'strong')], width);
  return [
    ...words('You are on another machine than your browser. Forward the port there first:', 'warn', width),
    ...command,
  ];
}

const NAMES: Readonly<Partial<Record<Stage, string>>> = {
  started: 'started',
  authorization_url: 'link ready',
  waiting: 'browser',
  callback_received: 'answer',
  callback_accepted: 'exchange',
};

/** One mark per stage: passed, present, to come. They wrap where they do not fit. */
function stageRows(signIn: SignInState, width: number): Row[] {
  const at = STAGES.indexOf(signIn.stage);
  const rows: Span[][] = [[]];
  let used = 0;
  for (const [index, stage] of STAGES.entries()) {
    const name = NAMES[stage];
    if (name === undefined) continue;
    const isPassed = index < at || (index === at && stage !== 'waiting' && stage !== 'callback_accepted');
    const mark = isPassed ? '✓' : index === at ? '◐' : '·';
    const part = `   ${mark} ${name}`;
    if (used > 0 && used + part.length > width) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(span(part, index === at ? 'accent' : 'dim'));
    used += part.length;
  }
  return rows.map((spans) => bar(width, spans, []));
}

/** What is typed shows as dots, as many as fit beside how long it is. */
function fieldRow(
  { pasted }: SignInState,
  { field, focus }: LoginView,
  width: number,
): { row: Row; column: number } {
  const prompt = '   › ';
  if (pasted !== 'no')
    return { row: rowOf([span(prompt, 'dim'), span('handed in', 'dim')]), column: prompt.length };
  const letters = [...field.text].length;
  const mark = span(prompt, focus === 'field' ? 'accent' : 'dim');
  if (letters === 0) {
    const empty = focus === 'field' ? '' : `${keyName('login.field')} to type, or just paste`;
    return { row: bar(width, [mark, span(empty, 'dim')], []), column: prompt.length };
  }
  const length =
    width < ROOMY_CELLS / 2 ? `${letters}` : letters === 1 ? '1 character' : `${letters} characters`;
  const room = width - prompt.length - length.length - 2;
  const dots = '•'.repeat(Math.max(1, Math.min(MAX_DOTS, letters, room)));
  return {
    row: bar(width, [mark, span(dots, 'text'), span(`  ${length}`, 'dim')], []),
    column: prompt.length + dots.length,
  };
}
