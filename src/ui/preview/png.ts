/** The size of a PNG by its header; other formats are not drawn. Pure. */

export interface PngSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const HEADER_BYTES = 24;

/** Null for anything that is no PNG or says no sensible size. */
export function pngSize(bytes: Uint8Array): PngSize | null {
  if (bytes.length < HEADER_BYTES || SIGNATURE.some((byte, index) => bytes[index] !== byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  return size.width === 0 || size.height === 0 ? null : size;
}
