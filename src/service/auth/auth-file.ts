/**
 * The file of the shared store (PROTOCOL.md, "Authentication"): its shape, read and written whole.
 * Invariants: readable by its owner only, in a folder that only the owner can enter; unknown members survive every
 * write; a file that cannot be understood is never rewritten. No reason quotes what the file holds.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod';
import { privateFolder } from '../endpoint/endpoint.ts';

const oauthRecord = z.looseObject({
  type: z.literal('oauth'),
  access: z.string().min(1),
  refresh: z.string().min(1),
  /** Unix time, ms. */
  expires: z.number(),
  account_id: z.string().min(1),
  /** The issuer no longer takes the refresh token. */
  needs_login: z.boolean().optional(),
});
const keyRecord = z.looseObject({ type: z.literal('api_key'), key: z.string().min(1) });
/** Of a later version: kept, not used. */
const otherRecord = z.looseObject({
  type: z.string().refine((type) => type !== 'oauth' && type !== 'api_key'),
});

const fileSchema = z.looseObject({
  version: z.literal(1),
  /** Per provider; grows with every change of its record, its removal included. */
  generations: z.record(z.string(), z.int().nonnegative()),
  providers: z.record(z.string(), z.union([oauthRecord, keyRecord, otherRecord])),
});

export type OAuthRecord = z.infer<typeof oauthRecord>;
export type AuthRecord = OAuthRecord | z.infer<typeof keyRecord>;
export type AuthFile = z.infer<typeof fileSchema>;

export type AuthFileRead =
  | { readonly ok: true; readonly file: AuthFile }
  | { readonly ok: false; readonly reason: string };

const MAX_BYTES = 1_048_576;

/** A missing file is an empty store. */
export function readAuthFile(path: string): AuthFileRead {
  const text = readPrivate(path);
  if (text === null) return { ok: true, file: { version: 1, generations: {}, providers: {} } };
  if (typeof text !== 'string') return { ok: false, reason: text.reason };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: `${path} is not valid JSON: mend it or move it away.` };
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return { ok: true, file: parsed.data };
  const where = parsed.error.issues[0]?.path[0] === 'version' ? 'has another version' : 'has another shape';
  return { ok: false, reason: `${path} ${where} than this program writes: mend it or move it away.` };
}

/** Null when there is no such file. */
function readPrivate(path: string): string | null | { readonly reason: string } {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : { reason: `${path} cannot be read: ${codeOf(error)}.` };
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES)
      return { reason: `${path} is not a file of this program.` };
    if (stats.uid !== process.geteuid?.()) return { reason: `${path} belongs to another user.` };
    if ((stats.mode & 0o077) !== 0) return { reason: `${path} is open to other users: run chmod 600 on it.` };
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    return { reason: `${path} cannot be read: ${codeOf(error)}.` };
  } finally {
    closeSync(descriptor);
  }
}

/** Null when the folder is there and private; otherwise what is wrong. */
export function prepareAuthFolder(path: string): string | null {
  return privateFolder(dirname(path));
}

/** Null when it was written; otherwise what is wrong. */
export function writeAuthFile(path: string, file: AuthFile): string | null {
  try {
    writeFileAtomic.sync(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    return null;
  } catch (error) {
    return `${path} cannot be written: ${codeOf(error)}.`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
