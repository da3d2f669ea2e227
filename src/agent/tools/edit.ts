import * as z from 'zod';
import { messageOf } from '../turn.ts';
import { diffOf, type FileChange, makeChanges } from './change-files.ts';
import { askToWrite, isOrdinary } from './path-questions.ts';
import { readExisting } from './text-file.ts';
import { defineTool } from './tool.ts';
import { pathTitle, resolveInWorkspace, type WorkspacePath } from './workspace.ts';

const schema = z.object({
  path: z.string().min(1),
  old_text: z.string().min(1).describe('Exact text to replace, with its white space'),
  new_text: z.string(),
  replace_all: z.boolean().optional().describe('Replace every place instead of exactly one'),
});

export const editTool = defineTool({
  name: 'edit',
  description:
    'Replace exact text in a file. old_text must occur exactly once, unless replace_all is true; add surrounding lines to make it unique.',
  schema,
  title: (args, workspace) => pathTitle(workspace, args.path),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path);
    const plan = await planEdit(args, path);
    // Elsewhere a mistake would tell what stands there before anybody allowed to look.
    if ('problem' in plan && isOrdinary(path)) return { status: 'error', output: plan.problem };
    const diff = 'problem' in plan ? undefined : diffOf(plan);
    const refusal = await askToWrite(context, path, diff);
    if (refusal !== null) return refusal;
    if ('problem' in plan) return { status: 'error', output: plan.problem };
    await makeChanges([plan], context);
    const places = plan.count === 1 ? 'one place' : `${plan.count} places`;
    return {
      status: 'ok',
      output: `Edited ${path.label}: ${places}.`,
      ...(diff === undefined ? {} : { diff }),
    };
  },
});

interface Edit extends FileChange {
  readonly count: number;
}

async function planEdit(
  args: z.infer<typeof schema>,
  path: WorkspacePath,
): Promise<Edit | { readonly problem: string }> {
  try {
    const before = await readExisting(path.real, path.label);
    if (before.kind === 'missing') return { problem: `${path.label} does not exist.` };
    if (before.kind === 'opaque')
      return { problem: `${path.label} cannot be edited: it is ${before.reason}.` };
    const change = replaceExact(before.text, args);
    if ('problem' in change) return { problem: `${change.problem} (${path.label})` };
    return { named: args.path, path, before, after: change.text, count: change.count };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

type Change = { readonly text: string; readonly count: number } | { readonly problem: string };

function replaceExact(text: string, args: z.infer<typeof schema>): Change {
  if (!args.new_text.isWellFormed()) return { problem: 'new_text is not valid Unicode.' };
  if (args.old_text === args.new_text) return { problem: 'old_text and new_text are the same.' };
  const pieces = text.split(args.old_text);
  const count = pieces.length - 1;
  if (count === 0) {
    const hint = text.includes('\r\n') && args.old_text.includes('\n') ? ' The file has CRLF line ends.' : '';
    return { problem: `old_text was not found; it must match exactly, also in white space.${hint}` };
  }
  if (count > 1 && args.replace_all !== true) {
    return { problem: `old_text occurs ${count} times; add surrounding text or set replace_all.` };
  }
  return { text: pieces.join(args.new_text), count };
}
