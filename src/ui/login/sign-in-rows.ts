/** A sign-in as rows: how far it has come, the link, what to do with it, and how it ended. */
import { BLANK_ROW, type Row, type Span, span } from '../../render/row.ts';
import { rowOf } from '../../render/row-builder.ts';
import { textRows } from '../../render/wrap.ts';
import { type SignInState, STAGES, type Stage } from '../../store/sign-in.ts';
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
  /** Unix time, ms. */
  readonly now: number;
}

export interface SignInRows {
  readonly rows: readonly Row[];
  /** Where the field's caret is; null without a field. */
  readonly caret: { readonly row: number; readonly column: number } | null;
}

const INDENT = { first: [span('   ', 'text')], rest: [span('   ', 'text')] };
const MAX_DOTS = 24;
const ROOMY_CELLS = 60;

/** The title row: what is signed in to, what happens, and the time that is left. */
export function signInTitle({ now, signIn }: SignInInput, width: number): Row {
  const left = signIn.deadline === null ? [] : [`${clock(signIn.deadline - now)} left`];
  // The marks below say it again.
  const words = width < ROOMY_CELLS && left.length > 0 ? [] : [stageWords(signIn)];
  const state = signIn.end === null ? `${[...words, ...left].join(' · ')} ` : '';
  return bar(
    width,
    [span(' Sign in', 'strong'), span(` · ${signIn.providerId}`, 'dim')],
    [span(state, 'accent')],
  );
}

export function signInRows(input: SignInInput, width: number): SignInRows {
  const { login, noBrowser, signIn } = input;
  const text = (words: string, style: 'text' | 'dim' | 'warn' | 'good'): Row[] =>
    textRows(words, style, width, INDENT);
  if (signIn.end !== null) {
    const { next, sentence } = endWords(signIn.end);
    const isGood = next === '';
    return {
      rows: [
        ...text(`${isGood ? '✓' : '✗'} ${sentence}`, isGood ? 'good' : 'warn'),
        ...(isGood ? [] : text(next, 'text')),
      ],
      caret: null,
    };
  }
  const rows: Row[] = [...stageRows(signIn, width), BLANK_ROW];
  if (signIn.url === null || signIn.stage === 'callback_received' || signIn.stage === 'callback_accepted')
    return { rows, caret: null };
  // A code needs all the room there is, and nobody reads beside it.
  if (login.qr !== null) return { rows: [...login.qr], caret: null };
  rows.push(...text('Open this link:', 'text'), ...linkRows(signIn.url, width), BLANK_ROW);
  if (noBrowser === 'remote')
    rows.push(
      ...text(
        'You are on another machine than your browser. Forward the port first: ssh -L 1455:localhost:1455 you@host',
        'warn',
      ),
    );
  rows.push(
    ...text('When the browser has ended, paste its final address or the code here; it is not shown:', 'dim'),
  );
  const { column, row } = fieldRow(signIn, login);
  rows.push(row);
  const caret = login.focus === 'field' && signIn.pasted === 'no' ? { row: rows.length - 1, column } : null;
  if (signIn.note !== '') rows.push(...text(signIn.note, 'warn'));
  return { rows, caret };
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

/** What is typed shows as dots, and not how much of it there is. */
function fieldRow({ pasted }: SignInState, { field, focus }: LoginView): { row: Row; column: number } {
  const prompt = '   › ';
  if (pasted !== 'no')
    return { row: rowOf([span(prompt, 'dim'), span('handed in', 'dim')]), column: prompt.length };
  const dots = '•'.repeat(Math.min(MAX_DOTS, [...field.text].length));
  const empty = focus === 'field' ? '' : `${keyName('login.field')} to type, or just paste`;
  const content = dots === '' ? span(empty, 'dim') : span(dots, 'text');
  return {
    row: rowOf([span(prompt, focus === 'field' ? 'accent' : 'dim'), content]),
    column: prompt.length + dots.length,
  };
}
