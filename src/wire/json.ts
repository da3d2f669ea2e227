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
  const kept = new Members();
  const refusal = kept.take(value, 0);
  if (refusal !== null) return { ok: false, reason: refusal };
  if (kept.count !== countWrittenMembers(text)) return { ok: false, reason: 'duplicate member name' };
  if (kept.hasBackslash && !sameNames(namesOf(value), writtenNames(text)))
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

/** Walks a parsed value once. Recursion is safe: it stops at `MAX_PARSE_DEPTH`. */
class Members {
  count = 0;
  hasBackslash = false;

  /** Why the value is refused, or null; counts the members kept. */
  take(value: Json, depth: number): string | null {
    if (typeof value === 'string') return value.isWellFormed() ? null : 'lone surrogate';
    if (typeof value === 'number') return Number.isFinite(value) ? null : 'number out of range';
    if (typeof value !== 'object' || value === null) return null;
    if (depth >= MAX_PARSE_DEPTH) return 'nested too deeply';
    return isArray(value) ? this.#takeItems(value, depth) : this.#takeFields(value, depth);
  }

  #takeItems(items: readonly Json[], depth: number): string | null {
    for (const item of items) {
      const refusal = this.take(item, depth + 1);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  #takeFields(fields: { readonly [key: string]: Json }, depth: number): string | null {
    for (const key of Object.keys(fields)) {
      this.count += 1;
      this.hasBackslash ||= key.includes('\\');
      if (!key.isWellFormed()) return 'lone surrogate';
      const refusal = this.take(fields[key] ?? null, depth + 1);
      if (refusal !== null) return refusal;
    }
    return null;
  }
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Names of all members of a value that was walked before. */
function namesOf(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesOf)];
}

/** Whether a value stays within bounds. The root has depth 0; containers and scalars count alike. */
export function withinBounds(root: Json, bounds: JsonBounds): boolean {
  return isWithin(root, bounds, 0);
}

/** Recursion is safe: it stops at the first value that lies too deep. */
function isWithin(value: Json, bounds: JsonBounds, depth: number): boolean {
  if (depth > bounds.depth) return false;
  if (typeof value === 'string') return isShort(value, bounds.stringBytes);
  if (typeof value !== 'object' || value === null) return true;
  if (isArray(value)) {
    return value.length <= bounds.items && value.every((item) => isWithin(item, bounds, depth + 1));
  }
  const keys = Object.keys(value);
  if (keys.length > bounds.fields) return false;
  return keys.every(
    (key) => isShort(key, bounds.stringBytes) && isWithin(value[key] ?? null, bounds, depth + 1),
  );
}

/** A UTF-16 unit is at most three bytes, so most texts need no counting. */
function isShort(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || byteLength(text) <= bytes;
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
