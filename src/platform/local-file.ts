/** What a file on this machine is, before it goes with a message. Reads its first bytes, never all of it. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';

export interface LocalFile {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: 'image' | 'file';
}

/** Null when there is no regular file that can be read. */
export function localFile(path: string, folder: string): LocalFile | null {
  const full = resolve(folder, path.replace(/^~(?=$|\/)/, homedir()));
  try {
    const stats = statSync(full);
    if (!stats.isFile()) return null;
    const kind = isImage(firstBytes(full)) ? 'image' : 'file';
    return { path: full, name: basename(full), size: stats.size, kind };
  } catch {
    return null;
  }
}

const START_BYTES = 12;

function firstBytes(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(START_BYTES);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, START_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

function isImage(start: string): boolean {
  const isWebp = start.startsWith('RIFF') && start.endsWith('WEBP');
  return (
    isWebp ||
    ['\u0089PNG\r\n\u001a\n', '\u00ff\u00d8\u00ff', 'GIF87a', 'GIF89a'].some((magic) =>
      start.startsWith(magic),
    )
  );
}
