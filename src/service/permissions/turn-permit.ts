/**
 * Answers the questions of one turn (PROTOCOL.md, "Session profile"): by rules and mode where these decide, else
 * by the person at a client that can be asked. Where nobody can be asked the answer is the plain one of the settings.
 * Invariant: rules and mode are those of the moment of the question.
 */
import type { PermissionAnswer, PermissionAsk, Permit } from '../../agent/runtime.ts';
import type { PermissionMode } from '../../wire/session-protocol.ts';
import { plainPermit } from './plain.ts';
import type { Questions } from './questions.ts';
import type { RuleBook } from './rule-book.ts';
import { rulesFor } from './rules.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { REFUSALS } from './words.ts';

export interface TurnPermitOptions {
  readonly book: RuleBook;
  readonly questions: Questions;
  readonly mode: () => PermissionMode;
  /** Whether somebody is there who can be asked. */
  readonly canAsk: () => boolean;
  readonly isOffered: (path: string) => boolean;
  /** Once the beginning of the call is recorded: the subagent that made it, if it was one. */
  readonly beginningOf: (call: string) => Promise<string | undefined>;
}

const ASK: Verdict = { kind: 'ask' };
const NOTHING_ALLOWED = plainPermit({ bash: false, writeOutside: false });

export function turnPermit(options: TurnPermitOptions): Permit {
  return async (ask, signal) => {
    const { book, canAsk, isOffered, mode } = options;
    const rules = book.read();
    // What cannot be read may forbid this.
    const verdict = rules === null ? ASK : verdictOf(ask, { ...rules, mode: mode(), isOffered });
    if (verdict.kind === 'allow') return { allowed: true, by: verdict.by };
    if (verdict.kind === 'deny') return REFUSALS[verdict.because];
    return canAsk() ? askSomebody(ask, signal, options) : NOTHING_ALLOWED(ask, signal);
  };
}

async function askSomebody(
  ask: PermissionAsk,
  signal: AbortSignal,
  { beginningOf, book, questions }: TurnPermitOptions,
): Promise<PermissionAnswer> {
  const subagent = await beginningOf(ask.call);
  const rules = rulesFor(ask, book.read()?.allow ?? []);
  const outcome = await questions.put({ ask, subagent, rules }, signal);
  switch (outcome) {
    case 'allow-always':
      book.add(rules);
      return { allowed: true, by: 'user' };
    case 'allow-once':
      return { allowed: true, by: 'user' };
    case 'unanswered':
      return REFUSALS.unanswered;
    case 'deny':
    case 'stopped':
      return REFUSALS.denied;
  }
}
