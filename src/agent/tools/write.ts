import * as z from 'zod';
import { messageOf } from '../turn.ts';
import { diffOf, type FileChange, makeChanges } from './change-files.ts';
import { askToWrite, isOrdinary } from './path-questions.ts';
import { readExisting } from './text-file.ts';
import { defineTool } from './tool.ts';
import { pathTitle, resolveInWorkspace, type WorkspacePath } from './workspace.ts';

const schema = z.object({ path: z.string().min(1), content: z.string() });

export const writeTool = defineTool({
  name: 'write',
  description:
    'Write a whole text file; creates it and its folders, replaces what was there. Use edit for changes to an existing file.',
  schema,
  title: (args, workspace) => pathTitle(workspace, args.path),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path);
    const plan = await planWrite(args, path);
    // Elsewhere a mistake would tell what stands there before anybody allowed to look.
    if ('problem' in plan && isOrdinary(path)) return { status: 'error', output: plan.problem };
    const diff = 'problem' in plan ? undefined : diffOf(plan);
    const refusal = await askToWrite(context, path, diff);
    if (refusal !== null) return refusal;
    if ('problem' in plan) return { status: 'error', output: plan.problem };
    await makeChanges([plan], context);
    const verb = plan.before.kind === 'missing' ? 'Created' : 'Replaced';
    const output = `${verb} ${path.label} (${Buffer.byteLength(args.content)} bytes).`;
    return { status: 'ok', output, ...(diff === undefined ? {} : { diff }) };
  },
});

async function planWrite(
  args: z.infer<typeof schema>,
  path: WorkspacePath,
): Promise<FileChange | { readonly problem: string }> {
  if (!args.content.isWellFormed()) return { problem: 'The content is not valid Unicode.' };
  try {
    const before = await readExisting(path.real, path.label);
    return { named: args.path, path, before, after: args.content };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
