/** The conversations in test/fixtures/traces: one `{dir, record}` a line; a hello starts a new socket. */
import { readdirSync, readFileSync } from 'node:fs';
import { encodeRecord, type Json } from '../../src/wire/json.ts';

export type JsonObject = { readonly [key: string]: Json };

export interface TraceLine {
  readonly dir: 'c2s' | 's2c';
  readonly record: JsonObject;
}

/** The service of all traces. */
export const TRACE_IDENTITY = { workspace: '/home/dev/project', stateRoot: '/home/dev/.magi-code' };
export const TRACE_VERSION = '0.80.2';

export function readTrace(name: string): TraceLine[] {
  const text = readFileSync(new URL(`../fixtures/traces/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): TraceLine => JSON.parse(line));
}

/** The same lines, cut where a new socket begins. */
export function socketsOf(trace: readonly TraceLine[]): TraceLine[][] {
  const sockets: TraceLine[][] = [];
  for (const line of trace) {
    if (isHello(line.record) && line.dir === 'c2s') sockets.push([]);
    sockets.at(-1)?.push(line);
  }
  return sockets;
}

/** A handshake line has no `kind`. */
export function isHello(record: JsonObject): boolean {
  return !('kind' in record) && 'state_root' in record;
}

/** The first answer to `initialize` in the traces: a complete and good one. */
export function goodInitializeResult(): JsonObject {
  const line = readTrace('01-handshake-initialize-status').find(
    ({ dir, record }) => dir === 's2c' && record.method === 'initialize',
  );
  return objectOf(line?.record.payload);
}

/** @throws when it is no object */
export function objectOf(value: Json | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
  return value as JsonObject;
}

/**
 * A copy whose member at a dotted path is what `change` makes of it; undefined takes it away.
 * @throws when there is nothing on the way to it
 */
export function withMember(
  value: Json | undefined,
  path: string,
  change: (old: Json | undefined) => Json | undefined,
): Json {
  const [key = '', ...rest] = path.split('.');
  const next = (old: Json | undefined) =>
    rest.length === 0 ? change(old) : withMember(old, rest.join('.'), change);
  if (Array.isArray(value)) return value.with(Number(key), next(value[Number(key)]) ?? null);
  const { [key]: old, ...others } = objectOf(value);
  const made = next(old);
  return made === undefined ? others : { ...others, [key]: made };
}

type Change = (record: JsonObject) => JsonObject;

const member =
  (path: string, value: Json | undefined, isThere: boolean): Change =>
  (record) =>
    objectOf(
      withMember(record, path, (old) => {
        if ((old !== undefined) !== isThere) throw new Error(`${path} is ${isThere ? 'not there' : 'there'}`);
        return value;
      }),
    );
/** Another value for a member that is there. */
export const set = (path: string, value: Json) => member(path, value, true);
/** A member that was not there. */
export const add = (path: string, value: Json) => member(path, value, false);
export const drop = (path: string) => member(path, undefined, true);
export const all =
  (...changes: readonly Change[]): Change =>
  (record) =>
    changes.reduce((changed, change) => change(changed), record);

/** What a record is of: its method or event, or `hello`. */
export function labelOf(record: JsonObject): string {
  return isHello(record) ? 'hello' : String(record.method ?? record.event);
}

/**
 * A record of a service, and the socket that it is in.
 * @param at first two digits of the trace, method or event, and which of these it is, from 0: `05 session.claim 1`
 */
export function lineAt(at: string): { target: TraceLine; lines: TraceLine[]; trace: TraceLine[] } {
  const [trace = '', label, place = '0'] = at.split(' ');
  const file = readdirSync(new URL('../fixtures/traces', import.meta.url)).find((name) =>
    name.startsWith(trace),
  );
  const whole = readTrace(String(file).replace('.jsonl', ''));
  const sockets = socketsOf(whole).map(playable);
  const alike = sockets.flat().filter(({ dir, record }) => dir === 's2c' && labelOf(record) === label);
  const target = alike[Number(place)];
  const lines = sockets.find((socket) => target !== undefined && socket.includes(target));
  if (target === undefined || lines === undefined) throw new Error(`no such record: ${at}`);
  return { target, lines, trace: whole };
}

/** Refusals of requests that our client does not make, or makes again by itself. */
const NOT_OURS: ReadonlySet<unknown> = new Set([
  'not_initialized',
  'invalid_request',
  'already_initialized',
  'stale_instance',
  'stale_connection',
  'invalid_payload',
  'unsupported_operation',
  'duplicate_request_id',
  'configuration_busy',
]);

/** The exchanges of a socket that our client can have. */
function playable(lines: readonly TraceLine[]): TraceLine[] {
  const nameOf = ({ record }: TraceLine) => `${record.request_id} ${record.method}`;
  const refused = lines.filter(
    ({ record: { error } }) => error != null && NOT_OURS.has(objectOf(error).code),
  );
  const names = new Set(refused.map(nameOf));
  return lines.filter(
    (line) => isHello(line.record) || (line.record.kind != null && !names.has(nameOf(line))),
  );
}

/** What becomes of a record, or the bytes that are sent in its place. */
export type Mutation = (record: JsonObject) => JsonObject | Buffer;

export const capability = (name: string) => `payload.capabilities.${name}`;
export const bothLimits = (name: string, value: Json, change = set) =>
  all(change(`payload.limits.${name}`, value), change(capability(`limits.${name}`), value));
export const without = (path: string, name: string) => (record: JsonObject) =>
  objectOf(
    withMember(record, path, (old) => (Array.isArray(old) ? old.filter((item: Json) => item !== name) : old)),
  );
export const plus = (path: string, name: string) => (record: JsonObject) =>
  objectOf(withMember(record, path, (old) => (Array.isArray(old) ? [...old, name] : old)));
/** The encoded record with one place written otherwise, byte by byte. */
export const written =
  (from: string, to: string): Mutation =>
  (record) =>
    Buffer.from(encodeRecord(record).toString('latin1').replace(from, to), 'latin1');
/** Another turn event of a trace in this place. */
export const again =
  (at: string, live: number, sequence: number, slots: JsonObject = {}): Mutation =>
  () => ({
    ...all(set('live_sequence', live), set('payload.sequence', sequence))(lineAt(at).target.record),
    ...slots,
  });
/** An array whose last item is there once more. */
export const twice = (path: string) => (record: JsonObject) =>
  objectOf(withMember(record, path, (old) => (Array.isArray(old) ? [...old, ...old.slice(-1)] : old)));

export const nested = (levels: number): Json => (levels === 1 ? [] : [nested(levels - 1)]);
export const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
export const long = (bytes: number) => 'a'.repeat(bytes);

/** The object at a dotted path; the value itself when the path is empty. */
function memberAt(value: Json | undefined, path: string): JsonObject {
  if (path === '') return objectOf(value);
  const [key = '', ...rest] = path.split('.');
  const inner: Json | undefined = Array.isArray(value) ? value[Number(key)] : objectOf(value)[key];
  return memberAt(inner, rest.join('.'));
}

/**
 * `at`: trace, method or event, and which of these records in the trace, from 0. `refusedAt`: a later record of the
 * same socket that is the first which does not fit, when the changed one alone is good.
 */
export type Row = readonly [name: string, at: string, mutation: Mutation, refusedAt?: string];

/** Rows that each take one of all members of the object at `path` away. */
export const lacking = (at: string, path: string): Row[] => {
  const prefix = path === '' ? '' : `${path}.`;
  const names = Object.keys(memberAt(lineAt(at).target.record, path));
  return names.map((name) => [`no ${prefix}${name}`, at, drop(`${prefix}${name}`)]);
};
/** Rows that each give one member of the object at `path` another value. */
export const holding = (at: string, path: string, values: JsonObject): Row[] =>
  Object.entries(values).map(([name, value]) => [
    `${path}${name} ${JSON.stringify(value).slice(0, 60)}`,
    at,
    set(`${path}${name}`, value),
  ]);

/** What a service sends in these lines, without the handshake. */
export function labelsIn(lines: readonly TraceLine[]): string[] {
  return lines
    .filter(({ dir, record }) => dir === 's2c' && !isHello(record))
    .map(({ record }) => labelOf(record));
}

/** What a service has sent in the same socket before a record. */
export function labelsBefore(at: string): string[] {
  const { target, lines } = lineAt(at);
  return labelsIn(lines.slice(0, lines.indexOf(target)));
}
