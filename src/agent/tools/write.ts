import { z } from 'zod';
import { readExisting, unifiedDiff, writeText } from './text-file.ts';
import { defineTool } from './tool.ts';
import { pathTitle, refuseOutside, resolveInWorkspace } from './workspace.ts';

export const writeTool = defineTool({
  name: 'write',
  description:
    'Write a whole text file; creates it and its folders, replaces what was there. Use edit for changes to an existing file.',
  schema: z.object({ path: z.string().min(1), content: z.string() }),
  title: (args, context) => pathTitle(context.workspace, args.path),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path);
    const refusal = refuseOutside(context, path, 'write');
    if (refusal !== null) return refusal;
    if (!args.content.isWellFormed()) return { status: 'error', output: 'The content is not valid Unicode.' };
    const before = await readExisting(path.real, path.label);
    context.signal.throwIfAborted();
    await writeText(path.real, args.content);
    const verb = before.kind === 'missing' ? 'Created' : 'Replaced';
    const output = `${verb} ${path.label} (${Buffer.byteLength(args.content)} bytes).`;
    if (before.kind === 'opaque') return { status: 'ok', output };
    const diff = unifiedDiff(path.label, before.kind === 'text' ? before.text : '', args.content);
    return { status: 'ok', output, ...(diff === undefined ? {} : { diff }) };
  },
});
