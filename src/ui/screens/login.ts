/** The screen of signing in: who can answer, and one sign-in while it runs. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { truncate } from '../../render/width.ts';
import { textRows } from '../../render/wrap.ts';
import { startsAgain } from '../../store/sign-in-words.ts';
import type { State } from '../../store/state.ts';
import { type Frame, fitRows } from '../frame.ts';
import { keyHint, keyName } from '../keys/bindings.ts';
import { answerWords } from '../login/answer-words.ts';
import { selectedProvider } from '../login/login-view.ts';
import { providerRows } from '../login/provider-rows.ts';
import { linkOf, signInRows, signInTitle } from '../login/sign-in-rows.ts';
import { bar } from '../rows/bar.ts';
import { wordsThatFit } from '../rows/hints.ts';
import type { View } from '../view.ts';

export interface LoginInput {
  readonly state: State;
  readonly view: View;
  readonly noBrowser: 'remote' | 'no-display' | null;
  /** Monotonic time, ms. */
  readonly monotonic: number;
}

/** From so many rows on there is air below the title. */
const ROOMY_ROWS = 14;
const TITLE = ' Sign in';
const MAX_SAID_ROWS = 3;
const SAID_INDENT = { first: [span(' ', 'text')], rest: [span(' ', 'text')] };
const MORE = ' ↓ more';

export function loginFrame(input: LoginInput): Frame {
  const { columns, rows: height } = input.view.size;
  const body = bodyOf(input, columns);
  const { head, last, room, said, top } = placeOf(input, body);
  const foot = said.length > 0 ? said : [keysRow(input, top < last, columns)];
  const shown = fitRows(body.rows.slice(top, top + room), room);
  const y = head.length + (body.caret?.row ?? 0) - top;
  const isSeen = body.caret !== null && y >= head.length && y < height - foot.length;
  const cursor = isSeen ? { x: Math.min(columns - 1, body.caret.column), y } : null;
  return { rows: [...head, ...shown, ...foot], cursor };
}

/** Where the screen can be scrolled to, in rows of what stands below its title. */
export interface LoginPlace {
  readonly top: number;
  /** The lowest place that can be scrolled to. */
  readonly last: number;
  readonly room: number;
}

export function loginPlace(input: LoginInput): LoginPlace {
  return placeOf(input, bodyOf(input, input.view.size.columns));
}

interface Body {
  readonly title: Row;
  readonly rows: readonly Row[];
  readonly caret: { readonly row: number; readonly column: number } | null;
  /** The rows that stay in sight as long as nobody scrolls, the first before the last. */
  readonly matters: { readonly first: number; readonly last: number };
}

interface Place extends LoginPlace {
  readonly head: readonly Row[];
  readonly said: readonly Row[];
}

function placeOf(input: LoginInput, { matters, rows, title }: Body): Place {
  const { login, size } = input.view;
  const head = size.rows >= ROOMY_ROWS ? [title, BLANK_ROW] : [title];
  const said = saidRows(input, size.columns);
  const room = size.rows - head.length - Math.max(1, said.length);
  const last = Math.max(0, rows.length - room);
  const unasked = Math.min(matters.first, Math.max(0, matters.last - room + 1));
  return { head, last, room, said, top: Math.max(0, Math.min(last, login.top ?? unasked)) };
}

function bodyOf({ noBrowser, state, view }: LoginInput, columns: number): Body {
  const { providers, signIn } = state;
  if (signIn === null) {
    const about = truncate(' · who can answer', columns - TITLE.length);
    const title = bar(columns, [span(TITLE, 'strong'), span(about, 'dim')], []);
    const { rows, selected, selectedEnd } = providerRows(providers, view.login, columns);
    const isExplained = view.login.leaving !== null || view.login.howTo !== '';
    const matters = { first: selected, last: isExplained ? rows.length - 1 : selectedEnd };
    return { title, rows, caret: null, matters };
  }
  const answers = answerWords(state, signIn.providerId);
  const input = { signIn, login: view.login, noBrowser, answers, now: view.now };
  const { caret, rows } = signInRows(input, columns);
  // What has to be typed into stays on the screen, whatever has to give way.
  const matters = { first: caret?.row ?? 0, last: caret?.row ?? 0 };
  return { title: signInTitle(input, columns), rows, caret, matters };
}

function saidRows({ monotonic, view }: LoginInput, columns: number): readonly Row[] {
  const { hint } = view;
  if (hint === null || hint.until < monotonic) return [];
  return textRows(sanitiseLine(hint.text), 'warn', columns, SAID_INDENT).slice(0, MAX_SAID_ROWS);
}

function keysRow(input: LoginInput, hasMore: boolean, columns: number): Row {
  const more = hasMore ? [span(MORE, 'accent')] : [];
  // The bar keeps a cell between both.
  const room = columns - 1 - (hasMore ? MORE.length + 1 : 0);
  return bar(columns, [span(` ${wordsThatFit(hintsOf(input), room)}`, 'dim')], more);
}

/** The keys that do something now, the way back before others. */
function hintsOf({ state, view }: LoginInput): readonly string[] {
  const { providers, signIn } = state;
  if (signIn === null)
    return view.login.leaving === null
      ? listHints(providers, view)
      : [keyHint('login.confirm'), keyHint('login.deny')];
  if (signIn.end !== null) {
    const enter = startsAgain(signIn.end) ? 'sign in again' : 'who can answer';
    return [`${keyName('login.accept')} ${enter}`, keyHint('login.back')];
  }
  if (view.login.focus === 'field')
    return [keyHint('login-field.submit'), keyHint('login-field.leave'), keyHint('login-field.clear')];
  const cancel = signIn.cancelling ? [] : [`${keyName('login.back')} cancel`];
  if (linkOf(signIn) === null) return cancel;
  const field = signIn.pasted === 'no' ? [keyHint('login.field')] : [];
  const link = ['login.open', 'login.copy', 'login.qr', 'login.print'] as const;
  return [...cancel, ...link.map(keyHint), ...field];
}

/** What can be done with the chosen provider. */
function listHints(providers: State['providers'], { login }: View): readonly string[] {
  const provider = selectedProvider(providers, login);
  const takesKey = provider?.auth_method === 'api_key';
  const accept = takesKey ? `${keyName('login.accept')} how to` : keyHint('login.accept');
  return [
    keyHint('login.back'),
    ...(provider === undefined ? [] : [accept]),
    ...(takesKey && login.savesKeys ? [keyHint('login.key')] : []),
    ...(provider?.source === 'shared_store' ? [keyHint('login.sign-out')] : []),
    keyHint('login.refresh'),
  ];
}
