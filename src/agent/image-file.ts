/**
 * Image files for models. Invariant: what a provider would refuse is left out, because one bad image makes it refuse
 * the whole request, and every later one that has the image in its history.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { type ImageSize, imageKind } from './image-kind.ts';

export interface ImageData {
  readonly mimeType: string;
  readonly base64: string;
}

export type ImageFile =
  | { readonly kind: 'image'; readonly image: ImageData; readonly size: ImageSize }
  /** `reason` goes on from "not shown: ". */
  | { readonly kind: 'unfit'; readonly reason: string };

/** 4.5 MiB as base64: Anthropic takes 5 MB. */
const MAX_BYTES = 3_538_944;
/** Anthropic's limit; others make larger ones smaller. */
const MAX_PIXELS = 8_000;

/** Reads an image. Never rejects. */
export async function readImage(path: string): Promise<ImageFile> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return unfit('it is no longer there');
  }
  try {
    return await imageIn(file);
  } catch {
    return unfit('it cannot be read');
  } finally {
    await file.close();
  }
}

/** Rejects when the file cannot be read. */
export async function imageIn(file: FileHandle): Promise<ImageFile> {
  const { size: length } = await file.stat();
  if (length > MAX_BYTES) return unfit(`${length} bytes are more than the ${MAX_BYTES} that a model takes`);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, 0);
  const kind = bytesRead === length ? imageKind(bytes) : null;
  if (kind === null || kind.size === null) return unfit('it is damaged, or no PNG, JPEG, GIF or WebP image');
  const { mimeType, size } = kind;
  if (Math.max(size.width, size.height) > MAX_PIXELS)
    return unfit(`${size.width} × ${size.height} pixels are more than the ${MAX_PIXELS} that a model takes`);
  return { kind: 'image', image: { mimeType, base64: bytes.toString('base64') }, size };
}

function unfit(reason: string): ImageFile {
  return { kind: 'unfit', reason };
}
