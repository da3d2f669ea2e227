/** A file that went with a message. */
import type { FileBlock } from '../../../transcript/blocks.ts';
import { fileCardRow } from '../file-card.ts';
import { type Look, type LookOptions, whole } from './look.ts';

const INDENT = 8;

export function fileLook({ image, name, size }: FileBlock, { width }: LookOptions): Look {
  const what = image === undefined ? 'file' : `image ${image.width}×${image.height}`;
  return whole([fileCardRow({ name, size, what, indent: Math.min(INDENT, Math.floor(width / 4)) }, width)]);
}
