/** What a client was told against what is left of it. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { ControlEvent } from '../../src/client/session-control.ts';
import { type PlacedEnvelope, type WireEnvelope, wireEnvelope } from '../../src/wire/session-protocol.ts';

export interface Heard {
  readonly placed: readonly PlacedEnvelope[];
  /** Deltas joined, by the envelope in which they were to stand. */
  readonly texts: ReadonlyMap<string, string>;
}

export function heardOf(events: readonly ControlEvent[]): Heard {
  const placed: PlacedEnvelope[] = [];
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'envelope') placed.push(event);
    if (event.type !== 'delta' || event.piece === null) continue;
    const { envelopeId } = event.piece;
    texts.set(envelopeId, (texts.get(envelopeId) ?? '') + event.text);
  }
  return { placed, texts };
}

/** One sentence for everything that is missing, changed or in another place. */
export function lossOf({ placed, texts }: Heard, left: readonly PlacedEnvelope[]): string[] {
  const found: string[] = [];
  const places = new Map(left.map(({ envelope }, index) => [String(envelope.id), index]));
  const first = places.get(String(placed[0]?.envelope.id)) ?? 0;
  for (const [index, { cursor, envelope }] of placed.entries()) {
    const id = String(envelope.id);
    const there = left[places.get(id) ?? -1];
    if (there === undefined) found.push(`envelope ${id} is gone`);
    else if (!isDeepStrictEqual(there.envelope, envelope)) found.push(`envelope ${id} has changed`);
    else if (there.cursor !== cursor) found.push(`envelope ${id} stands at ${there.cursor}, not ${cursor}`);
    else if (places.get(id) !== first + index) found.push(`envelope ${id} is out of order`);
  }
  for (const [id, text] of texts) {
    const at = places.get(id);
    const saved = at === undefined ? null : textOf(left[at]?.envelope);
    if (saved !== null && !saved.startsWith(text))
      found.push(`the deltas of envelope ${id} say something else`);
  }
  return found;
}

/** Text that was told and had not reached the file: a crash may cost the last second of an answer. */
export function unsavedOf({ texts }: Heard, left: readonly PlacedEnvelope[]): string {
  const ids = new Set(left.map(({ envelope }) => String(envelope.id)));
  return [...texts].map(([id, text]) => (ids.has(id) ? '' : text)).join('');
}

/** The envelopes of a session file. @throws when a line is no JSON, or is cut off */
export function envelopesIn(file: string): WireEnvelope[] {
  const text = readFileSync(file, 'utf8');
  if (!text.endsWith('\n')) throw new Error(`${file} ends within a line`);
  const [, ...lines] = text.slice(0, -1).split('\n');
  return lines.map((line) => wireEnvelope.parse(JSON.parse(line)));
}

/** Turns that were begun and not ended. */
export function openTurns(left: readonly PlacedEnvelope[]): string[] {
  const open = new Set<string>();
  for (const { envelope } of left) {
    const kind = kindOf(envelope);
    if (kind === 'turn-start') open.add(String(envelope.turn));
    if (kind === 'turn-end') open.delete(String(envelope.turn));
  }
  return [...open];
}

export function kindOf({ ev }: WireEnvelope): string {
  return typeof ev === 'object' && ev !== null && 't' in ev ? String(ev.t) : '';
}

export function textOf(envelope: WireEnvelope | undefined): string | null {
  const ev = envelope?.ev;
  return typeof ev === 'object' && ev !== null && 'text' in ev ? String(ev.text) : null;
}
