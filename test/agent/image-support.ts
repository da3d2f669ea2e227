/** Images for tests. */

/** A PNG as far as a header and a size go; `bytes` in all. */
export function png(width: number, height: number, bytes = 64): Buffer {
  const image = Buffer.alloc(bytes);
  image.write('\u0089PNG\r\n\u001a\n', 'latin1');
  image.write('IHDR', 12, 'latin1');
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}
