/** The screen of signing in: who can answer, and one sign-in while it runs. */
import { BLANK_ROW, type Row, span } from '../../render/row.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import type { State } from '../../store/state.ts';
import { type Frame, fitRows } from '../frame.ts';
import { type CommandId, keyHint, keyName } from '../keys/bindings.ts';
import { providerRows } from '../login/provider-rows.ts';
import { signInRows, signInTitle } from '../login/sign-in-rows.ts';
import { bar } from '../rows/bar.ts';
import type { View } from '../view.ts';

export interface LoginInput {
  readonly state: State;
  readonly view: View;
  readonly noBrowser: 'remote' | 'no-display' | null;
  /** Monotonic time, ms. */
  readonly monotonic: number;
}

export function loginFrame(input: LoginInput): Frame {
  const { columns, rows: height } = input.view.size;
  const { signIn } = input.state;
  const body = signIn === null ? listBody(input, columns) : signInBody(input, columns);
  const { hint } = input.view;
  const said = hint === null || hint.until < input.monotonic ? null : sanitiseLine(hint.text);
  const last =
    said === null
      ? span(
          ` ${keysOf(input)
            .map((id) => hintOf(id, input))
            .join('  ')}`,
          'dim',
        )
      : span(` ${said}`, 'warn');
  const keys = bar(columns, [last], []);
  const room = height - 1;
  // What has to be typed into stays on the screen, whatever has to give way.
  const top = body.caret === null ? 0 : Math.max(0, body.caret.row - room + 1);
  const cursor =
    body.caret === null ? null : { x: Math.min(columns - 1, body.caret.column), y: body.caret.row - top };
  return { rows: [...fitRows(body.rows.slice(top), room), keys], cursor };
}

interface Body {
  readonly rows: readonly Row[];
  readonly caret: { readonly row: number; readonly column: number } | null;
}

function listBody({ state, view }: LoginInput, columns: number): Body {
  const title = bar(columns, [span(' Sign in', 'strong'), span(' · who can answer', 'dim')], []);
  return { rows: [title, BLANK_ROW, ...providerRows(state.providers, view.login, columns)], caret: null };
}

function signInBody({ noBrowser, state, view }: LoginInput, columns: number): Body {
  const { signIn } = state;
  if (signIn === null) return { rows: [], caret: null };
  const input = { signIn, login: view.login, noBrowser, now: view.now };
  const { caret, rows } = signInRows(input, columns);
  const head = [signInTitle(input, columns), BLANK_ROW];
  return { rows: [...head, ...rows], caret: caret && { ...caret, row: caret.row + head.length } };
}

/** The way back gives up a sign-in that runs. */
function hintOf(id: CommandId, { state }: LoginInput): string {
  const isRunning = state.signIn !== null && state.signIn.end === null;
  return id === 'login.back' && isRunning ? `${keyName(id)} cancel` : keyHint(id);
}

function keysOf({ state, view }: LoginInput): readonly CommandId[] {
  const { signIn } = state;
  if (signIn === null && view.login.leaving !== null) return ['login.confirm', 'login.deny'];
  if (signIn === null) return ['login.accept', 'login.sign-out', 'login.key', 'login.refresh', 'login.back'];
  if (signIn.end !== null) return ['login.back'];
  if (view.login.focus === 'field') return ['login-field.submit', 'login-field.leave'];
  return signIn.url === null
    ? ['login.back']
    : ['login.open', 'login.copy', 'login.qr', 'login.print', 'login.field', 'login.back'];
}
