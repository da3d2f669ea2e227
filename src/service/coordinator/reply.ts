/** What an operation answers, and what becomes of its entry in the operation table. */
import type { RequestEnvelope } from '../../wire/envelope.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import type { Recipient } from './actor.ts';
import type { Operation, Result } from './operation-table.ts';

export type Reply =
  | {
      readonly ok: true;
      readonly payload: object;
      /** What lookup tells from now on; null while the operation goes on by itself, and for reads. */
      readonly result: Result | null;
      /** Done once the response is queued. */
      readonly afterwards: () => void;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      /** What lookup tells when work had been begun; null when nothing happened. */
      readonly result: Result | null;
    };

/** A request that passed the ladder. */
export interface Call {
  readonly connection: Recipient & { readonly open: boolean };
  readonly request: RequestEnvelope;
}

/** A mutation that has its place in the operation table. */
export interface MutationCall extends Call {
  readonly operation: Operation;
}

const nothing = (): void => undefined;

export function answer(payload: object): Reply {
  return { ok: true, payload, result: null, afterwards: nothing };
}

/** A mutation that is done. */
export function done(payload: object, more: Result = {}): Reply {
  return { ok: true, payload, result: { status: 'completed', ...more }, afterwards: nothing };
}

/** Nothing happened. */
export function refuse(code: ErrorCode): Reply {
  return { ok: false, code, result: null };
}

/** Work was begun and failed. */
export function fail(code: ErrorCode, more: Result = {}): Reply {
  return { ok: false, code, result: { status: 'failed', ...more } };
}

/** Writes the outcome into the operation table; one that goes on by itself is settled later. */
export function settle(operation: Operation, reply: Reply): void {
  if (reply.ok) {
    if (reply.result !== null) operation.finish(reply.result, null);
  } else if (reply.result === null) operation.reject(reply.code);
  else operation.finish(reply.result, reply.code);
}
