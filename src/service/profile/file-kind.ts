/** What a file is: by its first bytes where these say it, else by its name. Pure; nothing about the file is believed. */
import { extname } from 'node:path';
import { imageKind } from '../../agent/image-kind.ts';

export interface FileKind {
  readonly mime: string;
  /** Pixels; null when it is no image, or its header does not say. */
  readonly image: { readonly width: number; readonly height: number } | null;
}

const BY_NAME: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.css': 'text/css',
  '.gz': 'application/gzip',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};
const TEXT_SAMPLE = 4_096;

export function fileKind(bytes: Buffer, name: string): FileKind {
  const picture = imageKind(bytes);
  if (picture !== null) return { mime: picture.mimeType, image: picture.size };
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return { mime: 'application/pdf', image: null };
  const known = BY_NAME[extname(name).toLowerCase()];
  return { mime: known ?? (isText(bytes) ? 'text/plain' : 'application/octet-stream'), image: null };
}

function isText(bytes: Buffer): boolean {
  return !bytes.subarray(0, TEXT_SAMPLE).includes(0);
}
