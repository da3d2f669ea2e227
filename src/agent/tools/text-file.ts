import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import writeFileAtomic from 'write-file-atomic';
import { makeFolder } from '../../platform/folder.ts';
import { cutText } from './bounded.ts';
import { isMissing } from './workspace.ts';

/** Larger files are neither edited nor compared. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_DIFF_BYTES = 64 * 1024;
const DIFF_TIMEOUT_MS = 500;

/** What is at a path before a change. */
export type ExistingFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string }
  /** There, but not text that can be edited without losing bytes. */
  | { readonly kind: 'opaque'; readonly reason: string };

/** Reads a file for editing. Throws for folders, devices and unreadable files. */
export async function readExisting(real: string, label: string): Promise<ExistingFile> {
  try {
    const info = await stat(real);
    if (!info.isFile()) throw new Error(`${label} is not a file.`);
    if (info.size > MAX_FILE_BYTES) return { kind: 'opaque', reason: 'larger than 8 MB' };
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing' };
    throw error;
  }
  const file = await open(real, 'r');
  try {
    return decode(await file.readFile());
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer): ExistingFile {
  if (bytes.includes(0)) return { kind: 'opaque', reason: 'binary' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'opaque', reason: 'not valid UTF-8' };
  }
}

/** Replaces a file in one step, keeps its mode, makes missing parent folders. On failure the old content stays. */
export async function writeText(real: string, text: string): Promise<void> {
  makeFolder(dirname(real), 0o777);
  await writeFileAtomic(real, text, {});
}

/** A unified diff of one file, or undefined when nothing changed or it takes too long. */
export function unifiedDiff(label: string, before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const patch = createTwoFilesPatch(label, label, before, after, '', '', {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: DIFF_TIMEOUT_MS,
  });
  return patch === undefined ? undefined : boundedDiff(patch);
}

/** A diff of at most 64 KB, cut behind a line. */
export function boundedDiff(diff: string): string {
  if (Buffer.byteLength(diff) <= MAX_DIFF_BYTES) return diff;
  const cut = cutText(diff, MAX_DIFF_BYTES);
  return `${cut.slice(0, cut.lastIndexOf('\n') + 1)}\\ The diff is cut at 64 KB\n`;
}
