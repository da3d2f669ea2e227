/** Which image a file is, by its first bytes alone; nothing else about it is believed. Pure. */

export interface ImageKind {
  readonly mimeType: string;
  /** Pixels; null when the header does not say, or says nothing sensible. */
  readonly size: ImageSize | null;
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Null for everything that no model takes as an image. */
export function imageKind(bytes: Buffer): ImageKind | null {
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\u0089PNG\r\n\u001a\n')) return kind('image/png', pngSize(bytes));
  if (start.startsWith('\u00ff\u00d8\u00ff')) return kind('image/jpeg', jpegSize(bytes));
  if (/^GIF8[79]a/u.test(start)) return kind('image/gif', gifSize(bytes));
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return kind('image/webp', webpSize(bytes));
  return null;
}

function kind(mimeType: string, size: ImageSize | null): ImageKind {
  return { mimeType, size: size === null || size.width === 0 || size.height === 0 ? null : size };
}

function pngSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 24) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 10) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Looks at segments up to the first frame header. */
function jpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return null;
}

function webpSize(bytes: Buffer): ImageSize | null {
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
