/** One row of the table of sign-ins as data (PROTOCOL.md, "Authentication"), and the outcomes that many of them share. */
import { type Act, NOTHING, type Outcome } from './login-act.ts';
import type { Around, OwnAct } from './login-services.ts';

/** Played against both services. */
export interface SharedCase extends Expected {
  readonly play: (act: Act) => Promise<void>;
  /** When it is not what the embedded service comes to. */
  readonly magiCode?: { readonly comesTo: Outcome; readonly because: string };
}

/** Played against the embedded service only. */
export interface OwnCase extends Expected {
  readonly play: (act: OwnAct) => Promise<void>;
  /** What it would take with magi-code. */
  readonly needs: string;
}

interface Expected {
  readonly name: string;
  readonly around?: Around;
  readonly embedded: Outcome;
}

export const CANCELLED = 'cancelled, clean';
export const FAILED = 'failed internal_error, clean';
export const COMPLETED = 'completed, clean';

/** The outcome of a case; what is left out stayed as it was. */
export const comesTo = (last: string, operation: string, said = NOTHING, status = 'missing'): Outcome => ({
  last,
  operation,
  said,
  status,
});
export const WAITING = comesTo('waiting', 'accepted');
export const SUCCESS = comesTo('exchange_succeeded', COMPLETED, NOTHING, 'ready');
