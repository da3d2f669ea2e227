/** Texts with an upper size. Sizes are UTF-8 bytes; a cut never splits a character. */

/** Collects bytes and keeps the first and the last part of them. */
export interface HeadTail {
  add(chunk: Buffer): void;
  /** All bytes that were added. */
  readonly total: number;
  /** The text, with a line that says what is missing. */
  text(): string;
}

/** Keeps `headBytes` from the start and about `tailBytes` from the end. Memory stays under head + 2 × tail + one chunk. */
export function createHeadTail(headBytes: number, tailBytes: number): HeadTail {
  let head = Buffer.alloc(0);
  let tail: Buffer[] = [];
  let tailSize = 0;
  let total = 0;
  return {
    add(chunk) {
      total += chunk.length;
      const room = headBytes - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      const rest = room > 0 ? chunk.subarray(room) : chunk;
      if (rest.length === 0) return;
      tail.push(rest);
      tailSize += rest.length;
      if (tailSize <= tailBytes * 2) return;
      tail = [Buffer.concat(tail).subarray(-tailBytes)];
      tailSize = tailBytes;
    },
    get total() {
      return total;
    },
    text() {
      const end = Buffer.concat(tail).subarray(-tailBytes);
      const omitted = total - head.length - end.length;
      if (omitted <= 0) return Buffer.concat([head, end]).toString('utf8');
      return `${wholeEnd(head)}\n[… ${omitted} bytes left out …]\n${wholeStart(end)}`;
    },
  };
}

/** The longest start of a text that fits, in whole characters. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length <= maxBytes ? text : wholeEnd(bytes.subarray(0, maxBytes));
}

/** Decodes bytes that may end within a character: the broken end is dropped. */
export function wholeEnd(bytes: Buffer): string {
  let end = bytes.length;
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const need = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (need > back) end = bytes.length - back;
    break;
  }
  return bytes.toString('utf8', 0, end);
}

function wholeStart(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
