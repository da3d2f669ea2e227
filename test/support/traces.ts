/** The conversations in test/fixtures/traces: one `{dir, record}` a line; a hello starts a new socket. */
import { readFileSync } from 'node:fs';
import type { Json } from '../../src/wire/json.ts';

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
