import * as z from 'zod';
import { messageOf } from '../turn.ts';
import { diffOf, type FileChange, makeChanges } from './change-files.ts';
import { applyFilePatch } from './patch-apply.ts';
import { type FilePatch, parseFilePatches } from './patch-parse.ts';
import { askToWrite, isOrdinary } from './path-questions.ts';
import { boundedDiff, readExisting } from './text-file.ts';
import { defineTool, type ToolOutput } from './tool.ts';
import { pathTitle, resolveInWorkspace, type WorkspacePath } from './workspace.ts';

/**
 * A tool of its own, not a second shape of edit's arguments: models choose between two tools with plain, required
 * arguments better than between optional ones that exclude each other.
 */
export const patchTool = defineTool({
  name: 'patch',
  description:
    'Apply a unified diff to one or several files, all or nothing. Context and removed lines must match the files exactly; give two or three context lines and line numbers. A file is created from "--- /dev/null" and deleted to "+++ /dev/null". Use it for several places or files at once; use edit for one.',
  schema: z.object({
    patch: z.string().min(1).describe('The diff: "--- a/path", "+++ b/path", then "@@ -1,3 +1,4 @@" hunks'),
  }),
  title: ({ patch }, workspace) => titleOf(patch, workspace),
  async run({ patch }, context) {
    const plans = await Promise.all(parseFilePatches(patch).map((file) => plan(file, context.workspace)));
    const twice = plans.find(({ path }, index) => plans.findIndex((p) => p.path.real === path.real) < index);
    if (twice !== undefined)
      return mistake(`${twice.path.label} stands in the patch twice: put all its hunks below one header.`);
    // Elsewhere a mistake would tell what stands there before anybody allowed to look.
    const early = plans.find((item) => item.change === null && isOrdinary(item.path));
    if (early?.change === null) return mistake(early.problem);
    for (const item of plans) {
      const diff = item.change === null ? undefined : diffOf(item.change);
      const refusal = await askToWrite(context, item.path, diff);
      if (refusal !== null) return { ...refusal, output: `${refusal.output} ${NOTHING}` };
    }
    const late = plans.find((item) => item.change === null);
    if (late?.change === null) return mistake(late.problem);
    const changes = plans.flatMap(({ change }) => (change === null ? [] : [change]));
    await makeChanges(inOrder(changes), context);
    const diff = boundedDiff(changes.map((change) => diffOf(change) ?? '').join(''));
    return { status: 'ok', output: changes.map(told).join('\n'), ...(diff === '' ? {} : { diff }) };
  },
});

const NOTHING = 'Nothing of the patch was applied.';

type Plan =
  | { readonly path: WorkspacePath; readonly change: FileChange }
  | { readonly path: WorkspacePath; readonly change: null; readonly problem: string };

async function plan(file: FilePatch, workspace: string): Promise<Plan> {
  const path = await resolveInWorkspace(workspace, file.path);
  try {
    const before = await readExisting(path.real, path.label);
    if (before.kind === 'opaque')
      return { path, change: null, problem: `${path.label} cannot be patched: it is ${before.reason}.` };
    const after = applyFilePatch(file, before.kind === 'text' ? before.text : null);
    return { path, change: { named: file.path, path, before, after } };
  } catch (error) {
    return { path, change: null, problem: messageOf(error) };
  }
}

function mistake(problem: string): ToolOutput {
  return { status: 'error', output: `${problem} ${NOTHING}` };
}

/** Files are removed last: until then everything can be undone. */
function inOrder(changes: readonly FileChange[]): readonly FileChange[] {
  return [...changes.filter(({ after }) => after !== null), ...changes.filter(({ after }) => after === null)];
}

function told({ after, before, path }: FileChange): string {
  if (after === null) return `Deleted ${path.label}.`;
  return `${before.kind === 'missing' ? 'Created' : 'Patched'} ${path.label}.`;
}

/** The files that a patch names, without reading it closely. */
function titleOf(patch: string, workspace: string): string {
  const names = [...patch.matchAll(/^(?:\+\+\+ b\/|\+\+\+ |--- a\/)(?!\/dev\/null)([^\t\n]+)/gmu)].map(
    (match) => pathTitle(workspace, match[1]?.trim() ?? ''),
  );
  const files = [...new Set(names)];
  return files.length === 0 ? 'patch' : files.slice(0, 4).join(', ') + (files.length > 4 ? ', …' : '');
}
