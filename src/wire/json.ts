/**
 * Strict, bounded JSON (PROTOCOL.md, "Records").
 * Invariant: nothing is handed to a schema before UTF-8, syntax, duplicate names, lone surrogates,
 * number range and nesting were checked. Duplicates are found by counting: the colons outside strings
 * are the members written, the own keys of the parsed value are the members kept. Where a kept key has a
 * backslash the names themselves are compared too: some V8 versions misread an escaped name as the raw letters
 * of a key seen earlier (nodejs/node#63785), and such a key always has one.
 */
import { LIMITS, MAX_PARSE_DEPTH } from './limits.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type ParseResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bounds of one JSON value: nesting and counts, strings in UTF-8 bytes. */
export interface JsonBounds {
  readonly depth: number;
  readonly items: number;
  readonly fields: number;
  readonly stringBytes: number;
}

export const PAYLOAD_BOUNDS: JsonBounds = {
  depth: LIMITS.max_json_depth,
  items: LIMITS.max_array_items,
  fields: LIMITS.max_object_fields,
  stringBytes: LIMITS.max_string_bytes,
};

/** Parses one record. The reason of a refusal never quotes the input. */
export function parseStrict(bytes: Uint8Array): ParseResult {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, reason: 'not valid UTF-8' };
  }
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'not valid JSON' };
  }
  const names = keptNames(value);
  if (typeof names === 'string') return { ok: false, reason: names };
  if (names.length !== countWrittenMembers(text)) return { ok: false, reason: 'duplicate member name' };
  if (names.some((name) => name.includes('\\')) && !sameNames(names, writtenNames(text)))
    return { ok: false, reason: 'ambiguous in its member names' };
  return { ok: true, value };
}

/** Members written in a text that is already known to be JSON. */
function countWrittenMembers(text: string): number {
  let count = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfString(text, index);
    else if (code === 0x3a) count += 1;
    index += 1;
  }
  return count;
}

/** Names of the members written, each decoded by itself. */
function writtenNames(text: string): string[] {
  const names: string[] = [];
  const colon = /[ \t\r\n]*:/y;
  for (let index = text.indexOf('"'); index !== -1; index = text.indexOf('"', index)) {
    const end = endOfString(text, index);
    colon.lastIndex = end + 1;
    if (colon.test(text)) names.push(JSON.parse(text.slice(index, end + 1)));
    index = end + 1;
  }
  return names;
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  const sorted = right.toSorted();
  return left.toSorted().every((name, index) => name === sorted[index]);
}

/** Index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Names of the members kept in a parsed value, or why the value is refused. Iterative: input depth is hostile. */
function keptNames(root: Json): string[] | string {
  const names: string[] = [];
  const stack: { value: Json; depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value, depth } = entry;
    if (typeof value === 'string' && !value.isWellFormed()) return 'lone surrogate';
    if (typeof value === 'number' && !Number.isFinite(value)) return 'number out of range';
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_PARSE_DEPTH) return 'nested too deeply';
    if (!Array.isArray(value)) {
      const keys = Object.keys(value);
      if (keys.some((key) => !key.isWellFormed())) return 'lone surrogate';
      names.push(...keys);
    }
    for (const child of Object.values(value)) stack.push({ value: child, depth: depth + 1 });
  }
  return names;
}

/** Whether a value stays within bounds. The root has depth 0; containers and scalars count alike. */
export function withinBounds(root: Json, bounds: JsonBounds): boolean {
  const stack: { value: Json; depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value, depth } = entry;
    if (depth > bounds.depth) return false;
    if (typeof value === 'string' && byteLength(value) > bounds.stringBytes) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      if (value.length > bounds.items) return false;
    } else {
      const keys = Object.keys(value);
      if (keys.length > bounds.fields || keys.some((key) => byteLength(key) > bounds.stringBytes))
        return false;
    }
    for (const child of Object.values(value)) stack.push({ value: child, depth: depth + 1 });
  }
  return true;
}

/** UTF-8 bytes of a string. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Bytes of a value as compact JSON. */
export function encodedBytes(value: unknown): number {
  return byteLength(JSON.stringify(value));
}

/** One record with its LF, ready for the socket. */
export function encodeRecord(record: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`, 'utf8');
}
