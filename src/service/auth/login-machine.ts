/**
 * The states of one sign-in as data (PROTOCOL.md, "Authentication"). Pure: it holds labels only, never an address, a code
 * or a token.
 * Invariants: progress goes forward only; there is one outcome, told once and after the cleanup; once the credential is
 * being stored nothing takes it back; inputs that come too late change nothing.
 */
import type * as z from 'zod';
import type { loginProgress, loginTerminal } from '../../wire/auth.ts';

export type Progress = z.infer<typeof loginProgress>['state'];
export type Outcome = z.infer<typeof loginTerminal>['state'];

export type LoginState =
  /** The listener and the address are being made. */
  | { readonly kind: 'preparing' }
  | { readonly kind: 'waiting' }
  /** An answer has come and is held against the attempt. */
  | { readonly kind: 'checking' }
  | { readonly kind: 'exchanging' }
  | { readonly kind: 'storing' }
  /** Whatever is still open is being closed. */
  | { readonly kind: 'cleaning'; readonly outcome: Outcome }
  | { readonly kind: 'over'; readonly outcome: Outcome };

export type LoginInput =
  | 'prepared'
  | 'received'
  | 'accepted'
  | 'refused'
  | 'timed-out'
  | 'exchanged'
  | 'exchange-failed'
  | 'stored'
  | 'changed'
  | 'storage-failed'
  | 'cancelled'
  | 'crashed'
  | 'cleaned';

export type LoginEffect =
  | { readonly do: 'announce'; readonly progress: Progress }
  | { readonly do: 'wait' | 'check' | 'exchange' | 'store' | 'clean' }
  | { readonly do: 'end'; readonly outcome: Outcome };

export interface Step {
  readonly state: LoginState;
  readonly effects: readonly LoginEffect[];
}

export const FIRST: LoginState = { kind: 'preparing' };

type Live = Exclude<LoginState['kind'], 'cleaning' | 'over'>;

const clean = (outcome: Outcome): Step => ({
  state: { kind: 'cleaning', outcome },
  effects: [{ do: 'clean' }],
});
const go = (kind: Live, ...effects: LoginEffect[]): Step => ({ state: { kind }, effects });
const announce = (progress: Progress): LoginEffect => ({ do: 'announce', progress });

const CANCELLED = clean('cancelled');
const CRASHED = clean('internal_error');

const TABLE: Readonly<Record<Live, Partial<Record<LoginInput, Step>>>> = {
  preparing: {
    prepared: go('waiting', announce('authorization_url'), announce('waiting'), { do: 'wait' }),
    cancelled: CANCELLED,
    crashed: CRASHED,
  },
  waiting: {
    received: go('checking', announce('callback_received'), { do: 'check' }),
    'timed-out': clean('callback_timeout'),
    cancelled: CANCELLED,
    crashed: CRASHED,
  },
  checking: {
    accepted: go('exchanging', announce('callback_accepted'), { do: 'exchange' }),
    refused: clean('callback_failed'),
    cancelled: CANCELLED,
    crashed: CRASHED,
  },
  exchanging: {
    exchanged: go('storing', { do: 'store' }),
    'exchange-failed': clean('exchange_failed'),
    cancelled: CANCELLED,
    crashed: CRASHED,
  },
  storing: {
    stored: clean('exchange_succeeded'),
    changed: clean('auth_changed'),
    'storage-failed': clean('storage_failed'),
    crashed: CRASHED,
  },
};

export function step(state: LoginState, input: LoginInput): Step {
  const nothing: Step = { state, effects: [] };
  if (state.kind === 'over') return nothing;
  if (state.kind !== 'cleaning') return TABLE[state.kind][input] ?? nothing;
  const { outcome } = state;
  return input === 'cleaned'
    ? { state: { kind: 'over', outcome }, effects: [{ do: 'end', outcome }] }
    : nothing;
}
