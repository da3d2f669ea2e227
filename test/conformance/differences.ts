/** Short words for the differences of more than one script. */

import { type ErrorCode, errorOf } from '../../src/wire/errors.ts';
import type { Json } from '../../src/wire/json.ts';
import type { Difference } from './script.ts';

/** In an `initialize` result at this place. */
export function moreEntries(record: string): Difference[] {
  const maps = ['payload.limits', 'payload.capabilities.limits'];
  return maps.map((map) => ({
    row: 'max_operation_entries',
    at: `${record}.${map}.max_operation_entries`,
    real: 256,
    ours: 4_096,
  }));
}

/** Two refusals. */
export function otherCode(row: string, record: string, real: ErrorCode, ours: ErrorCode): Difference[] {
  return [
    { row, at: `${record}.error.code`, real, ours },
    { row, at: `${record}.error.message`, real: errorOf(real).message, ours: errorOf(ours).message },
  ];
}

/** A refusal on one side, a result on the other: what the result is follows from others. */
export function refusedHere(row: string, record: string, code: ErrorCode): Difference[] {
  return [
    { row, at: `${record}.error`, real: null, ours: wireError(code) },
    { row, at: `${record}.payload` },
  ];
}

export function refusedThere(row: string, record: string, code: ErrorCode): Difference[] {
  return [
    { row, at: `${record}.error`, real: wireError(code), ours: null },
    { row, at: `${record}.payload` },
  ];
}

function wireError(code: ErrorCode): Json {
  const { message } = errorOf(code);
  return { code, message };
}
