/**
 * A sign-in as the one who signs in sees it (PROTOCOL.md, "Authentication"). Pure.
 * Invariants: it only goes forward; once it has ended nothing changes it; the address is dropped with the end; what
 * was pasted is never held here.
 */
import type { LoginProgress, LoginTerminal } from '../wire/auth.ts';

/** How far it has come, in order. */
export const STAGES = [
  'starting',
  'started',
  'authorization_url',
  'waiting',
  'callback_received',
  'callback_accepted',
] as const;
export type Stage = (typeof STAGES)[number];

export type SignInEnd =
  | { readonly kind: 'terminal'; readonly state: LoginTerminal['state'] }
  /** The service did not begin it. */
  | { readonly kind: 'refused'; readonly sentence: string; readonly next: string }
  /** The link was lost on the way; what became of it was looked up afterwards. */
  | { readonly kind: 'looked-up'; readonly found: 'signed-in' | 'not-signed-in' };

export interface SignInState {
  readonly providerId: string;
  readonly stage: Stage;
  readonly url: string | null;
  /** The one answer by hand. */
  readonly pasted: 'no' | 'sending' | 'taken';
  readonly cancelling: boolean;
  /** The link is gone: what became of it is asked once there is one again. */
  readonly lost: boolean;
  /** When the browser's time is over: Unix time, ms; null before it runs. */
  readonly deadline: number | null;
  /** Why something that was asked for was not done; empty for nothing. */
  readonly note: string;
  readonly end: SignInEnd | null;
}

export type SignInInput =
  | { readonly kind: 'started' }
  | {
      readonly kind: 'progress';
      readonly state: LoginProgress['state'];
      readonly url: string | null;
      readonly notice: string | null;
      readonly now: number;
    }
  | { readonly kind: 'terminal'; readonly state: LoginTerminal['state'] }
  | { readonly kind: 'refused'; readonly sentence: string; readonly next: string }
  | { readonly kind: 'pasting' | 'paste-taken' | 'cancelling' | 'link-lost' }
  | { readonly kind: 'not-done'; readonly note: string }
  | { readonly kind: 'looked-up'; readonly found: 'signed-in' | 'not-signed-in' };

/** How long the service waits for the browser, ms (PROTOCOL.md, "Authentication"). */
const CALLBACK_MS = 300_000;

export function beginSignIn(providerId: string): SignInState {
  return {
    providerId,
    stage: 'starting',
    url: null,
    pasted: 'no',
    cancelling: false,
    lost: false,
    deadline: null,
    note: '',
    end: null,
  };
}

export function signInStep(state: SignInState, input: SignInInput): SignInState {
  if (state.end !== null) return state;
  switch (input.kind) {
    case 'started':
      return forward(state, 'started');
    case 'progress': {
      const next = forward(state, input.state);
      return {
        ...next,
        url: input.url ?? next.url,
        note: input.notice ?? next.note,
        deadline: deadlineOf(next, input),
      };
    }
    case 'terminal':
      return ended(state, { kind: 'terminal', state: input.state });
    case 'refused':
      return ended(state, input);
    case 'pasting':
      return { ...state, pasted: 'sending', note: '' };
    case 'paste-taken':
      return { ...state, pasted: 'taken' };
    case 'cancelling':
      return { ...state, cancelling: true, note: '' };
    case 'not-done':
      return { ...state, pasted: state.pasted === 'sending' ? 'no' : state.pasted, note: input.note };
    case 'link-lost':
      return { ...state, lost: true };
    case 'looked-up':
      return ended(state, input);
  }
}

/** Stages come in order; one that was passed is not gone back to. */
function forward(state: SignInState, stage: Stage): SignInState {
  return STAGES.indexOf(stage) > STAGES.indexOf(state.stage) ? { ...state, stage } : state;
}

/** It runs from the waiting on, and stops with the answer. */
function deadlineOf(state: SignInState, input: { state: Stage; now: number }): number | null {
  if (input.state === 'waiting') return input.now + CALLBACK_MS;
  return input.state === 'authorization_url' ? state.deadline : null;
}

function ended(state: SignInState, end: SignInEnd): SignInState {
  return { ...state, url: null, deadline: null, note: '', lost: false, end };
}
