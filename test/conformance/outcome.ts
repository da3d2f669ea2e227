/** What is compared: a performance with names for identities, and without what may differ. */
import { pathId } from '../../src/wire/identity.ts';
import type { Json } from '../../src/wire/json.ts';
import type { ServiceIdentity } from '../../src/wire/preflight.ts';
import { type JsonObject, objectOf } from '../support/traces.ts';
import { ALLOWANCES, isOwnAffair, joinDeltas } from './allowances.ts';
import { Names } from './names.ts';
import type { Heard, Performance } from './perform.ts';
import { Places } from './places.ts';
import type { Script } from './script.ts';
import { isArray, isObject } from './values.ts';

/** Members whose value a service chooses. */
const CHOSEN: Readonly<Record<string, string>> = {
  instance_id: 'instance',
  connection_id: 'connection',
  grant_id: 'grant',
  turn_id: 'turn',
  login_id: 'login',
  activity_id: 'activity',
  cursor: 'cursor',
  next_cursor: 'cursor',
  snapshot_cursor: 'cursor',
};

export function outcomeOf(
  { lines, operations, seen }: Performance,
  identity: ServiceIdentity,
  { only, unordered = false }: Script,
): Json {
  const reader = new Reader(identity, new Names(operations));
  const outcome: Record<string, Json> = {};
  for (const [name, heard] of lines) {
    outcome[`${name} is`] = heard.end;
    if (only === 'codes') outcome[name] = codesOf(heard);
    if (only !== undefined) continue;
    const read = joinDeltas(reader.records(heard.records));
    outcome[name] = unordered ? read.toSorted(byText) : read;
    if (heard.missed.length > 0) outcome[`${name} missed`] = heard.missed;
  }
  return seen.length === 0 ? outcome : { ...outcome, seen };
}

function byText(left: JsonObject, right: JsonObject): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}

function codesOf({ records }: Heard): Json {
  const codes = records.map(({ error = null }) => (error === null ? 'none' : objectOf(error).code));
  const others = [...new Set(codes.map(String))].filter((code) => code !== 'none').toSorted();
  return [...(codes.includes('none') ? ['none'] : []), ...others].join(', ');
}

class Reader {
  readonly #identity: ServiceIdentity;
  readonly #names: Names;
  readonly #places = new Places();
  readonly #events = new Set<Json>();

  constructor(identity: ServiceIdentity, names: Names) {
    this.#identity = identity;
    this.#names = names;
  }

  /** All of one connection. */
  records(records: readonly JsonObject[]): JsonObject[] {
    this.#places.forget();
    const placed = records.map((record) => this.#event(this.#places.read(record)));
    return placed.filter((record) => !isOwnAffair(record)).map((record) => this.#record(record));
  }

  /** Each delivery has an ID of its own. */
  #event(record: JsonObject): JsonObject {
    const { event_id } = record;
    if (typeof event_id !== 'string') return record;
    const isFresh = !this.#events.has(event_id);
    this.#events.add(event_id);
    return { ...record, event_id: isFresh ? '<fresh>' : '<used before>' };
  }

  #record(record: JsonObject): JsonObject {
    const payload = record.payload ?? null;
    // A session that is only echoed was named by the client.
    const { session_id = null } = isObject(payload) ? payload : {};
    if (typeof session_id === 'string') this.#names.of('session', session_id);
    return this.#object(record);
  }

  #object(value: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, member]) => [name, this.#member(name, member)]),
    );
  }

  #member(name: string, value: Json): Json {
    const allowance = ALLOWANCES[name];
    const allowed = allowance === undefined ? value : allowance(value);
    if (typeof allowed === 'number' && /^(grant_)?generation$/.test(name))
      return this.#names.ordinal('generation', allowed);
    if (typeof allowed === 'string') return this.#text(name, allowed);
    if (isArray(allowed)) return allowed.map((item) => this.#member('', item));
    return isObject(allowed) ? this.#object(allowed) : allowed;
  }

  #text(name: string, value: string): string {
    const { stateRoot, workspace } = this.#identity;
    if (name === 'workspace' || name === 'workspace_id') return pathWord(value, workspace);
    if (name === 'state_root' || name === 'state_root_id') return pathWord(value, stateRoot);
    const kind = CHOSEN[name];
    return kind === undefined ? this.#names.known(value) : this.#names.of(kind, value);
  }
}

function pathWord(value: string, path: string): string {
  if (value === path) return '<path>';
  return value === pathId(path) ? '<hash of the path>' : value;
}
