/**
 * The two places of an event: `sequence` in its turn, `live_sequence` in its session. Both only grow, by the same steps;
 * how far depends on what else was told, so that only the rule is compared.
 */
import type { Json } from '../../src/wire/json.ts';
import type { JsonObject } from '../support/traces.ts';
import { isObject } from './values.ts';

interface Place {
  readonly turn: Json;
  readonly sequence: number;
  readonly live: number;
}

export class Places {
  /** Of each session, what was last told. */
  readonly #last = new Map<Json, Place>();

  /** A new connection hears only what follows its claim. */
  forget(): void {
    this.#last.clear();
  }

  /** The record with words instead of places. */
  read(record: JsonObject): JsonObject {
    const payload = record.payload ?? null;
    if (!isObject(payload)) return record;
    if (record.kind === 'event') return this.#event(record, payload);
    return isObject(payload.snapshot ?? null) ? this.#claim(record, payload) : record;
  }

  #event(event: JsonObject, payload: JsonObject): JsonObject {
    const { live_sequence: live = null, session_id = null } = event;
    const { sequence, turn_id: turn = null } = payload;
    if (typeof sequence !== 'number' || typeof live !== 'number') return event;
    const last = this.#last.get(session_id);
    this.#last.set(session_id, { turn, sequence, live });
    return {
      ...event,
      live_sequence:
        last === undefined || inStep(last, { turn, sequence, live })
          ? '<in step>'
          : `${live} behind ${last.live}`,
      payload: { ...payload, sequence: sequence === 0 ? 0 : '<later>' },
    };
  }

  #claim(record: JsonObject, payload: JsonObject): JsonObject {
    const snapshot = isObject(payload.snapshot ?? null) ? payload.snapshot : {};
    if (snapshot === undefined || !isObject(snapshot)) return record;
    const { live_sequence: live, session_id = null, terminal = null, turn = null } = snapshot;
    const about = isObject(turn) ? turn : terminal;
    if (typeof live !== 'number' || !isObject(about)) return record;
    const { sequence, turn_id = null } = about;
    const last = this.#last.get(session_id);
    this.#last.set(session_id, { turn: turn_id, sequence: Number(sequence), live });
    const word = last === undefined || live >= last.live ? '<not before>' : `${live} behind ${last.live}`;
    const placed = {
      ...about,
      sequence: typeof sequence === 'number' && sequence > 0 ? '<later>' : (sequence ?? null),
    };
    const changed = isObject(turn) ? { turn: placed } : { terminal: placed };
    return { ...record, payload: { ...payload, snapshot: { ...snapshot, ...changed, live_sequence: word } } };
  }
}

function inStep(last: Place, next: Place): boolean {
  if (last.turn !== next.turn) return next.live === last.live + 1 && next.sequence === 0;
  return next.sequence > last.sequence && next.live - last.live === next.sequence - last.sequence;
}
