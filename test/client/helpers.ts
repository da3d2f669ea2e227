/** Small things that all tests of the client share. */
import { WireFailure } from '../../src/client/failure.ts';
import { SCRIPTED_IDS } from '../support/scripted-service.ts';
import type { JsonObject } from '../support/traces.ts';

export const LIST = { sessions: [], next_after: null, truncated: false, incomplete: false };
export const SESSION = 'sess-1';
export const TURN = 'turn-1';

export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, resolve };
}

/** Waits for a condition, never for a time. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The failure that a promise must end with. */
export async function failureOf(promise: Promise<unknown>): Promise<WireFailure> {
  const outcome = await promise.then(
    (value) => new Error(`did not fail: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof WireFailure) return outcome;
  throw outcome;
}

const PAYLOADS: Readonly<Record<string, JsonObject>> = {
  'turn.started': { turn_id: TURN, session_id: SESSION, status: 'started' },
  'turn.assistant_delta': { turn_id: TURN, text: 'word ' },
  'turn.activity': {
    turn_id: TURN,
    activity: {
      activity_id: 'a',
      kind: 'lifecycle',
      category: 'tool',
      status: 'running',
      details_omitted: true,
    },
  },
  'turn.terminal': {
    turn_id: TURN,
    session_id: SESSION,
    status: 'completed',
    assistant_text: 'word ',
    activity_dropped: 0,
    activity_replay_available: false,
    replay_required: true,
    persistence: 'committed',
    error: null,
  },
};

/** An event of the scripted turn; its sequence is one less than its place in the session. */
export function turnEvent(
  event: string,
  live: number,
  changes: JsonObject = {},
  slots: JsonObject = {},
): JsonObject {
  return {
    protocol_version: 2,
    kind: 'event',
    ...SCRIPTED_IDS,
    event_id: `event-${live}`,
    session_id: SESSION,
    operation_id: 'op-start',
    grant_generation: 1,
    live_sequence: live,
    event,
    payload: { ...PAYLOADS[event], sequence: live - 1, ...changes },
    ...slots,
  };
}

/** A claim of the scripted session; `changes` replace members of its snapshot. */
export function claimed(changes: JsonObject = {}): JsonObject {
  return {
    grant_id: 'grant-1',
    generation: 1,
    snapshot: {
      instance_id: SCRIPTED_IDS.instance_id,
      session_id: SESSION,
      live_sequence: 0,
      phase: 'idle',
      turn: null,
      terminal: null,
      activity_replay_available: false,
      ...changes,
    },
  };
}
