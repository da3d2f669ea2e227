/**
 * Questions of one turn that wait for a person (PROTOCOL.md, "Session profile").
 * Invariants: a question is in the stream before anybody can answer it, and so is its answer, whoever or whatever
 * gave it; it ends once: with the first answer, the stop of the turn, or its time, whatever comes first. Losing
 * the controller ends nothing: the next one finds the question in the stream.
 */
import type { PermissionAsk } from '../../agent/runtime.ts';
import { type Decision, SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import type { Clock } from '../clock.ts';
import { permissionRequestEvent } from '../profile/tool-envelopes.ts';
import type { TurnRecord } from '../turns/turn-record.ts';

export type Outcome = Decision | 'unanswered' | 'stopped';

export class Questions {
  readonly #record: TurnRecord;
  readonly #clock: Clock;
  readonly #open = new Map<string, (outcome: Outcome) => void>();
  #closed = false;

  constructor(record: TurnRecord, clock: Clock) {
    this.#record = record;
    this.#clock = clock;
  }

  /** @param question the ask, who makes it if that is a subagent, and what "always" would write down */
  put(
    question: { ask: PermissionAsk; subagent: string | undefined; rules: readonly string[] },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { ask, rules, subagent } = question;
    if (this.#closed || signal.aborted || this.#open.has(ask.call)) return Promise.resolve('stopped');
    this.#record.agent(permissionRequestEvent(ask, rules), subagent);
    return new Promise((resolve) => {
      const stop = (): void => this.#end(ask.call, 'stopped');
      const cancel = this.#clock.after(SESSION_PROTOCOL_LIMITS.permission_timeout_ms, () =>
        this.#end(ask.call, 'unanswered'),
      );
      this.#open.set(ask.call, (outcome) => {
        cancel();
        signal.removeEventListener('abort', stop);
        resolve(outcome);
      });
      signal.addEventListener('abort', stop);
    });
  }

  /** False when nothing waits on that call. */
  answer(call: string, decision: Decision): boolean {
    if (!this.#open.has(call)) return false;
    this.#end(call, decision);
    return true;
  }

  /** The turn is over. */
  close(): void {
    this.#closed = true;
    for (const call of [...this.#open.keys()]) this.#end(call, 'stopped');
  }

  #end(call: string, outcome: Outcome): void {
    const resolve = this.#open.get(call);
    if (resolve === undefined) return;
    this.#open.delete(call);
    const decision = outcome === 'unanswered' || outcome === 'stopped' ? 'deny' : outcome;
    this.#record.user({ t: 'permission-response', call, decision });
    resolve(outcome);
  }
}
