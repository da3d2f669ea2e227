import { sep } from 'node:path';
import type { ToolContext, ToolOutput } from './tool.ts';
import type { WorkspacePath } from './workspace.ts';

/** Which paths need a question. Both give null when the tool may go on. */

/** Reading inside the workspace is never asked about. */
export async function askToRead(context: ToolContext, path: WorkspacePath): Promise<ToolOutput | null> {
  if (path.inside) return null;
  return context.ask({ kind: 'read-outside', subject: path.real, title: path.label });
}

/** `diff` is absent when it is not known what the file will look like. */
export async function askToWrite(
  context: ToolContext,
  path: WorkspacePath,
  diff: string | undefined,
): Promise<ToolOutput | null> {
  const shown = { title: path.label, ...(diff === undefined ? {} : { diff }) };
  if (isRepositoryInternal(path)) {
    const refusal = await context.ask({ kind: 'bash', subject: `write ${path.label}`, ...shown });
    if (refusal !== null || path.inside) return refusal;
  }
  const kind = path.inside ? 'write' : 'write-outside';
  return context.ask({ kind, subject: path.real, ...shown });
}

/** True when nothing but the question `write` stands before a change: then a mistake may be told at once. */
export function isOrdinary(path: WorkspacePath): boolean {
  return path.inside && !isRepositoryInternal(path);
}

/** Hooks and settings in `.git` run commands: writing there is as good as bash. */
function isRepositoryInternal({ label }: WorkspacePath): boolean {
  return label.split(sep).some((part) => part.toLowerCase() === '.git');
}
