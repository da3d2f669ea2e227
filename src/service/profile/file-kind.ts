/** What a file is: by its first bytes where these say it, else by its name. Pure; nothing about the file is believed. */
import { extname } from 'node:path';

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
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\u0089PNG\r\n\u001a\n')) return { mime: 'image/png', image: sizeAt(bytes, 16) };
  if (start.startsWith('\u00ff\u00d8\u00ff')) return { mime: 'image/jpeg', image: jpegSize(bytes) };
  if (/^GIF8[79]a/.test(start)) return { mime: 'image/gif', image: gifSize(bytes) };
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP')
    return { mime: 'image/webp', image: webpSize(bytes) };
  if (start.startsWith('%PDF-')) return { mime: 'application/pdf', image: null };
  const known = BY_NAME[extname(name).toLowerCase()];
  return { mime: known ?? (isText(bytes) ? 'text/plain' : 'application/octet-stream'), image: null };
}

function isText(bytes: Buffer): boolean {
  return !bytes.subarray(0, TEXT_SAMPLE).includes(0);
}

/** Two 32-bit numbers, big end first. */
function sizeAt(bytes: Buffer, offset: number): FileKind['image'] {
  if (bytes.length < offset + 8) return null;
  return { width: bytes.readUInt32BE(offset), height: bytes.readUInt32BE(offset + 4) };
}

function gifSize(bytes: Buffer): FileKind['image'] {
  if (bytes.length < 10) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Segments up to the first frame header. */
function jpegSize(bytes: Buffer): FileKind['image'] {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): FileKind['image'] {
  if (bytes.length < 30) return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
