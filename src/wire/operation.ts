/** `operation.lookup` (PROTOCOL.md, "Operations and lookup"). */
import * as z from 'zod';
import { id, json, wireError } from './fields.ts';
import { isEnding, persistence, turnStatus } from './turn.ts';

export const lookupRequest = z.strictObject({ target_instance_id: id, operation_id: id });

const outcome = z.object({
  target_instance_id: id,
  operation_id: id,
  state: z.enum(['unknown', 'in_progress', 'accepted', 'terminal', 'rejected', 'expired']),
  method: z.string().nullable(),
  session_id: z.string().nullable(),
  result: z.record(z.string(), json).nullable(),
  error: wireError.nullable(),
});
type Outcome = z.infer<typeof outcome>;

export const lookupResult = outcome
  .refine(fitsState, 'the members contradict the state')
  .refine(fitsMethod, 'the result is not one of this method');
export type LookupResult = z.infer<typeof lookupResult>;

/** What a state sets and what it leaves null, whatever the method. */
function fitsState({ error, method, result, session_id, state }: Outcome): boolean {
  switch (state) {
    case 'unknown':
    case 'expired':
      return method === null && session_id === null && result === null && error === null;
    case 'in_progress':
      return method !== null && result === null && error === null;
    case 'accepted':
      return method !== null && error === null;
    case 'rejected':
      return method !== null && result === null && error !== null;
    case 'terminal':
      return method !== null && result !== null && (result.status === 'failed') === (error !== null);
  }
}

/** The `result` of a mutation whose work runs, and of one that has ended; the latter is checked with its error. */
interface Results {
  readonly accepted: z.ZodType;
  readonly terminal: z.ZodType;
}

const done: Results = { accepted: z.null(), terminal: z.object({ status: z.literal('completed') }) };
const worked: Results = {
  accepted: z.null(),
  terminal: z.object({ status: z.enum(['completed', 'failed']) }),
};

const RESULTS: Readonly<Record<string, Results>> = {
  'session.create': {
    accepted: z.null(),
    terminal: z.discriminatedUnion('status', [
      z.object({ status: z.literal('completed'), session_id: id }),
      z.object({ status: z.literal('failed'), session_id: z.null() }),
    ]),
  },
  'session.claim': done,
  'session.detach': done,
  'turn.start': {
    accepted: z.object({ turn_id: id }),
    terminal: z
      .object({ turn_id: id, status: turnStatus, persistence, error: wireError.nullable() })
      .refine(isEnding),
  },
  'turn.cancel': done,
  'auth.login.start': {
    accepted: z.object({ login_id: id }),
    terminal: z.object({
      login_id: id,
      status: z.enum(['completed', 'cancelled', 'failed']),
      cleanup_complete: z.literal(true),
    }),
  },
  'auth.login.callback': done,
  'auth.login.cancel': done,
  'auth.logout': worked,
  'catalog.refresh': worked,
  'config.set': worked,
};

/** A method that we do not know may give anything. */
function fitsMethod({ error, method, result, state }: Outcome): boolean {
  if (method === null || !Object.hasOwn(RESULTS, method)) return true;
  if (state === 'accepted') return RESULTS[method]?.accepted.safeParse(result).success === true;
  if (state === 'terminal') return RESULTS[method]?.terminal.safeParse({ ...result, error }).success === true;
  return true;
}
