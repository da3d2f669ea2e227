/**
 * Sessions as JSON lines: a header, then one envelope a line, in the order sent
 * (PROTOCOL.md, "Session envelopes"). Pure: bytes are read and written elsewhere.
 */
import * as z from 'zod';
import { type Envelope, isKnown, readEnvelope, type UnknownEnvelope } from './envelope.ts';

export const sessionHeader = z.object({
  format: z.literal('magi-term-session'),
  version: z.literal(1),
  session_id: z.string(),
  /** Unix time, ms. */
  created_at: z.int().nonnegative(),
  workspace: z.string(),
});
export type SessionHeader = z.infer<typeof sessionHeader>;

export type Line =
  | { readonly kind: 'header'; readonly header: SessionHeader }
  | { readonly kind: 'envelope'; readonly envelope: Envelope }
  | { readonly kind: 'unknown'; readonly envelope: UnknownEnvelope }
  | { readonly kind: 'bad' };

/** One line without its newline. Never throws: a bad line is reported as such and the rest goes on. */
export function parseLine(line: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'bad' };
  }
  const read = readEnvelope(value);
  if (read !== null) {
    return isKnown(read) ? { kind: 'envelope', envelope: read } : { kind: 'unknown', envelope: read };
  }
  const header = sessionHeader.safeParse(value);
  return header.success ? { kind: 'header', header: header.data } : { kind: 'bad' };
}

/** A header or envelope as a line with its newline. */
export function formatLine(value: SessionHeader | Envelope | UnknownEnvelope): string {
  return `${JSON.stringify(value)}\n`;
}
