import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { imageIn } from '../image-file.ts';
import { imageKind } from '../image-kind.ts';
import { wholeEnd } from './bounded.ts';
import { askToRead } from './path-questions.ts';
import { defineTool, type ToolContext, type ToolOutput } from './tool.ts';
import { pathTitle, resolveInWorkspace, type WorkspacePath } from './workspace.ts';

/** Most that one call gives to the model, in bytes. */
const MAX_BYTES = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export const readTool = defineTool({
  name: 'read',
  description:
    'Read a text file, or look at an image (PNG, JPEG, GIF, WebP) if you can see images. Long texts are cut at 64 KB: continue with offset. Paths are relative to the workspace.',
  schema: z.object({
    path: z.string().min(1).describe('File to read'),
    offset: z.int().min(1).optional().describe('First line, counted from 1'),
    limit: z.int().min(1).optional().describe('How many lines'),
  }),
  title: (args, workspace) => pathTitle(workspace, args.path),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path);
    const refusal = await askToRead(context, path);
    if (refusal !== null) return refusal;
    const range = { first: args.offset ?? 1, count: args.limit ?? Number.POSITIVE_INFINITY };
    return readFile(path, range, context);
  },
});

interface LineRange {
  /** Counted from 1. */
  readonly first: number;
  readonly count: number;
}

async function readFile(
  { label, real }: WorkspacePath,
  range: LineRange,
  { seesImages, signal }: ToolContext,
): Promise<ToolOutput> {
  const file = await open(real, 'r');
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return { status: 'error', output: `${label} is not a file.` };
    const picker = createLinePicker(range);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let isFirst = true; !picker.done; isFirst = false) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      const bytes = chunk.subarray(0, bytesRead);
      const kind = isFirst ? imageKind(bytes) : null;
      if (kind !== null && seesImages) return await showImage(file, label);
      if (kind !== null) {
        const output = `${label} is an image (${kind.mimeType}, ${stat.size} bytes), and this model cannot see images.`;
        return { status: 'error', output };
      }
      if (isFirst && bytes.subarray(0, 8192).includes(0)) {
        return { status: 'error', output: `${label} is a binary file (${stat.size} bytes).` };
      }
      picker.add(bytes);
    }
    return describe(picker, range, stat.size);
  } finally {
    await file.close();
  }
}

async function showImage(file: FileHandle, label: string): Promise<ToolOutput> {
  const found = await imageIn(file);
  if (found.kind === 'unfit')
    return { status: 'error', output: `${label} is an image, and is not shown: ${found.reason}.` };
  const { image, size } = found;
  const output = `[Image ${label}: ${image.mimeType}, ${size.width} × ${size.height} pixels.]`;
  return { status: 'ok', output, image };
}

interface LinePicker {
  add(bytes: Buffer): void;
  /** True when no further byte is needed. */
  readonly done: boolean;
  readonly full: boolean;
  readonly bytes: Buffer;
}

/** Picks the bytes of the wanted lines out of a stream of chunks, up to the size limit. */
function createLinePicker(range: LineRange): LinePicker {
  const end = range.first + range.count;
  const parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  const add = (bytes: Buffer): void => {
    let at = 0;
    while (at < bytes.length && line < end && size < MAX_BYTES) {
      const newline = bytes.indexOf(NEWLINE, at);
      const stop = newline === -1 ? bytes.length : newline + 1;
      if (line >= range.first) {
        const part = Buffer.from(bytes.subarray(at, Math.min(stop, at + MAX_BYTES - size)));
        parts.push(part);
        size += part.length;
        if (part.length < stop - at) return;
      }
      if (newline !== -1) line += 1;
      at = stop;
    }
  };
  return {
    add,
    get done() {
      return line >= end || size >= MAX_BYTES;
    },
    get full() {
      return size >= MAX_BYTES;
    },
    get bytes() {
      return Buffer.concat(parts);
    },
  };
}

function describe(picker: LinePicker, range: LineRange, fileSize: number): ToolOutput {
  const { bytes } = picker;
  if (bytes.length === 0) {
    const output = fileSize === 0 ? '[The file is empty.]' : `[The file ends before line ${range.first}.]`;
    return { status: 'ok', output };
  }
  if (!picker.full || bytes.length === fileSize) {
    return { status: 'ok', output: bytes.toString('utf8'), outputBytes: bytes.length };
  }
  const text = wholeEnd(bytes);
  const newline = text.lastIndexOf('\n');
  const shown = newline === -1 ? text : text.slice(0, newline + 1);
  const next = range.first + (shown.match(/\n/gu)?.length ?? 0);
  const note =
    newline === -1
      ? `[Cut at 64 KB within line ${range.first}: the line is longer than one call can show.]`
      : `[Cut at 64 KB of ${fileSize} bytes. Continue with offset ${next}.]`;
  return { status: 'ok', output: `${shown}\n${note}`, outputBytes: fileSize };
}
