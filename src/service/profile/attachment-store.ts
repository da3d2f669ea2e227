/**
 * Files that a user attaches (PROTOCOL.md, "Session profile"): copied once into `<state root>/attachments`, named
 * by the digest of their content, with what is known about them beside it.
 * Invariants: a named file inside the workspace does not lead out of it through a link; a link itself, anything
 * that is no regular file, and the state of this program are refused; a file that changes while it is read is, too.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import * as z from 'zod';
import { makeFolder } from '../../platform/folder.ts';
import type { SessionEvent } from '../../transcript/envelope.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import { SESSION_PROTOCOL_LIMITS } from '../../wire/session-protocol.ts';
import { startOf } from './envelope-bounds.ts';
import { fileKind } from './file-kind.ts';

type FileEvent = Extract<SessionEvent, { t: 'file' }>;

const stored = z.object({
  ref: z.string(),
  name: z.string(),
  size: z.int().nonnegative(),
  mime_type: z.string(),
  image: z
    .object({ width: z.int().nonnegative(), height: z.int().nonnegative(), thumbhash: z.string() })
    .nullable(),
});
export type Stored = z.infer<typeof stored>;

export type Attached =
  | { readonly ok: true; readonly stored: Stored }
  | { readonly ok: false; readonly code: ErrorCode };

const REF = /^[0-9a-f]{64}$/;
const MAX_PATH_BYTES = 4_096;
const NAME_BOUNDS = { raw: 255, encoded: 510 };

export class AttachmentStore {
  readonly #folder: string;
  readonly #workspace: string;
  readonly #stateRoot: string;

  /** Both paths are canonical. */
  constructor(stateRoot: string, workspace: string) {
    this.#folder = join(stateRoot, 'attachments');
    this.#workspace = workspace;
    this.#stateRoot = stateRoot;
  }

  attach(path: string): Attached {
    const isPath = path !== '' && !path.includes('\0') && Buffer.byteLength(path, 'utf8') <= MAX_PATH_BYTES;
    if (!isPath) return { ok: false, code: 'invalid_payload' };
    const named = resolve(this.#workspace, path);
    const bytes = this.#capture(named);
    if (typeof bytes === 'string') return { ok: false, code: bytes };
    const ref = createHash('sha256').update(bytes).digest('hex');
    const { image, mime } = fileKind(bytes, named);
    const about: Stored = {
      ref,
      name: plainName(named),
      size: bytes.length,
      mime_type: mime,
      image: image === null ? null : { ...image, thumbhash: '' },
    };
    try {
      makeFolder(this.#folder);
      writeFileAtomic.sync(this.#path(ref), bytes, { mode: 0o600 });
      writeFileAtomic.sync(`${this.#path(ref)}.json`, JSON.stringify(about), { mode: 0o600 });
      return { ok: true, stored: about };
    } catch {
      return { ok: false, code: 'persistence_failed' };
    }
  }

  /** The envelope's event of a file that was attached before; null when it was not. */
  eventOf(ref: string): FileEvent | null {
    const about = this.#about(ref);
    if (about === null) return null;
    const { image, name, size } = about;
    return { t: 'file', ref, name, size, ...(image === null ? {} : { image }) };
  }

  /** What the model is told: it reads the copy with its tools. */
  noteOf({ name, ref, size }: FileEvent): string {
    const about = this.#about(ref);
    if (about === null) return `[Attached file ${JSON.stringify(name)}: no longer there.]`;
    return `[Attached file ${JSON.stringify(name)} (${about.mime_type}, ${size} bytes), readable at ${this.#path(ref)}]`;
  }

  /** Where the copy lies; null when it is no longer there. */
  pathOf(ref: string): string | null {
    return this.#about(ref) === null ? null : this.#path(ref);
  }

  /** Whether the path is a stored copy. */
  isStored(path: string): boolean {
    return dirname(path) === this.#folder && REF.test(basename(path));
  }

  #capture(named: string): Buffer | ErrorCode {
    let descriptor: number;
    try {
      const parent = realpathSync(dirname(named));
      const real = join(parent, basename(named));
      const leadsOut = isWithin(named, this.#workspace) && !isWithin(real, this.#workspace);
      if (leadsOut || isWithin(real, this.#stateRoot)) return 'resource_not_found';
      descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch {
      return 'resource_not_found';
    }
    try {
      const before = fstatSync(descriptor, { bigint: true });
      if (!before.isFile()) return 'resource_not_found';
      if (before.size > BigInt(SESSION_PROTOCOL_LIMITS.max_attachment_bytes)) return 'limit_exceeded';
      const bytes = readFileSync(descriptor);
      const after = fstatSync(descriptor, { bigint: true });
      const isSame = before.mtimeNs === after.mtimeNs && BigInt(bytes.length) === before.size;
      return isSame ? bytes : 'conflict';
    } catch {
      return 'resource_not_found';
    } finally {
      closeSync(descriptor);
    }
  }

  #about(ref: string): Stored | null {
    if (!REF.test(ref)) return null;
    try {
      return stored.parse(JSON.parse(readFileSync(`${this.#path(ref)}.json`, 'utf8')));
    } catch {
      return null;
    }
  }

  #path(ref: string): string {
    return join(this.#folder, ref);
  }
}

/** A prompt with what is said about its files behind it. */
export function withNotes(prompt: string, notes: readonly string[]): string {
  return [prompt, ...notes].join('\n\n');
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** For people: one line, whatever the file is called. */
function plainName(path: string): string {
  const name = basename(path).toWellFormed();
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return startOf(plain, NAME_BOUNDS);
}
