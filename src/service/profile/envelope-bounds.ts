/**
 * What fits into one envelope (PROTOCOL.md, "Session profile"): texts in pieces, anything else shortened.
 * Invariants: sizes count JSON escapes; a cut never splits a character; whatever comes out keeps the structural
 * bounds of a payload ("Limits"), however a model or a file made it.
 */
import { byteLength, encodedBytes, type Json, PAYLOAD_BOUNDS, withinBounds } from '../../wire/json.ts';
import { SESSION_PROTOCOL_LIMITS, type WireEnvelope } from '../../wire/session-protocol.ts';

const { max_envelope_bytes, max_text_bytes } = SESSION_PROTOCOL_LIMITS;
/** Of one text envelope, as JSON: the rest of the envelope needs room, too. */
const MAX_TEXT_ENCODED = max_envelope_bytes - 4_096;
/** Arguments of one tool call, as JSON. */
const MAX_ARGS_ENCODED = max_envelope_bytes - 4_096;
/** One text within something larger. */
const KEPT_BYTES = 12_288;
const LEAST_KEPT_BYTES = 64;
const MAX_ITEMS = PAYLOAD_BOUNDS.items;
const MAX_NESTING = 12;
const MAX_KEY_BYTES = 256;
/** How far back a boundary between lines or letters is looked for, in UTF-16 units. */
const LETTER_WINDOW = 128;
const LEFT_OUT = '[left out]';
const SHORTENED = '… [shortened]';

export interface TextBounds {
  /** UTF-8 bytes. */
  readonly raw: number;
  /** Bytes as a JSON string, without its quotes. */
  readonly encoded: number;
}

export const TEXT_BOUNDS: TextBounds = { raw: max_text_bytes, encoded: MAX_TEXT_ENCODED };

/** Bytes of a text as a JSON string, without its quotes. */
export function encodedText(text: string): number {
  return encodedBytes(text) - 2;
}

export function fitsText(text: string, bounds: TextBounds): boolean {
  return byteLength(text) <= bounds.raw && encodedText(text) <= bounds.encoded;
}

/** The longest start of a well-formed text within bounds, in whole characters. */
export function startOf(text: string, bounds: TextBounds): string {
  return text.slice(0, fittingLength(text, bounds));
}

/** A text as pieces within bounds: cut behind a line where that is near, else between letters. At least one piece. */
export function piecesOf(text: string, bounds: TextBounds): string[] {
  const pieces: string[] = [];
  let rest = text.toWellFormed();
  while (!fitsText(rest, bounds)) {
    const end = boundaryBefore(rest, fittingLength(rest, bounds));
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  pieces.push(rest);
  return pieces;
}

function fittingLength(text: string, bounds: TextBounds): number {
  let raw = 0;
  let encoded = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.codePointAt(index) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    raw += bytes;
    encoded += bytes === 1 ? encodedAscii(code) : bytes;
    if (raw > bounds.raw || encoded > bounds.encoded) break;
    index += bytes === 4 ? 2 : 1;
  }
  return index;
}

function encodedAscii(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code >= 0x20) return 1;
  return code === 0x08 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d ? 2 : 6;
}

const letters = new Intl.Segmenter();

function boundaryBefore(text: string, end: number): number {
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > end / 2) return line;
  const from = Math.max(0, end - LETTER_WINDOW);
  let boundary = 0;
  for (const { index } of letters.segment(text.slice(from, end + LETTER_WINDOW))) {
    if (from + index > end) break;
    boundary = from + index;
  }
  return boundary > from ? boundary : end;
}

/** Output, diff and the like: the start of it. */
export function boundedText(text: string, encoded: number): string {
  return startOf(text.toWellFormed(), { raw: KEPT_BYTES, encoded });
}

/** Arguments of a tool call within one envelope. Long texts are shortened, with a mark. */
export function boundedArgs(args: Record<string, unknown>): Record<string, Json> {
  const value = fitted(args, MAX_ARGS_ENCODED);
  return isFields(value) ? { ...value } : {};
}

/** An envelope as the wire may carry it; null when it cannot be made to fit. */
export function wireEnvelopeOf(envelope: object): { envelope: WireEnvelope; isWhole: boolean } | null {
  const value: Json = JSON.parse(JSON.stringify(envelope));
  if (!isFields(value)) return null;
  if (fits(value)) return { envelope: value, isWhole: true };
  const { ev, ...head } = value;
  const smaller = fitted(ev, max_envelope_bytes - 1_024);
  const made = { ...head, ev: smaller };
  return isFields(smaller) && fits(made) ? { envelope: made, isWhole: false } : null;
}

/** On a page an envelope lies three levels below its payload. */
function fits(value: Json): boolean {
  const bounds = { ...PAYLOAD_BOUNDS, depth: PAYLOAD_BOUNDS.depth - 3 };
  return encodedBytes(value) <= max_envelope_bytes && withinBounds(value, bounds) && isWellFormed(value);
}

function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.keys(value).every((key) => key.isWellFormed()) && Object.values(value).every(isWellFormed);
}

function fitted(value: unknown, budget: number): Json {
  for (let keep = KEPT_BYTES; keep >= LEAST_KEPT_BYTES; keep = Math.floor(keep / 2)) {
    const smaller = shrunk(value, keep, 0);
    if (encodedBytes(smaller) <= budget) return smaller;
  }
  return { [LEFT_OUT]: LEFT_OUT };
}

function shrunk(value: unknown, keep: number, depth: number): Json {
  if (typeof value === 'string') return shortened(value.toWellFormed(), keep);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_NESTING) return LEFT_OUT;
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS - 1).map((item) => shrunk(item, keep, depth + 1));
    return value.length > items.length ? [...items, LEFT_OUT] : items;
  }
  const all = Object.entries(value);
  const kept = all.slice(0, PAYLOAD_BOUNDS.fields - 1);
  const fields = kept.map(([key, child]) => [nameOf(key), shrunk(child, keep, depth + 1)] as const);
  return Object.fromEntries(all.length > kept.length ? [...fields, [LEFT_OUT, LEFT_OUT]] : fields);
}

function shortened(text: string, keep: number): string {
  const bounds = { raw: keep, encoded: keep + Math.floor(keep / 2) };
  return fitsText(text, bounds) ? text : `${startOf(text, bounds)}${SHORTENED}`;
}

function nameOf(key: string): string {
  return startOf(key.toWellFormed(), { raw: MAX_KEY_BYTES, encoded: MAX_KEY_BYTES * 2 });
}

/** An object that is no array. */
function isFields(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
