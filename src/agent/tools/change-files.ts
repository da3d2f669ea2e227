import { rm } from 'node:fs/promises';
import { type ExistingFile, readExisting, unifiedDiff, writeText } from './text-file.ts';
import type { ToolContext } from './tool.ts';
import { resolveInWorkspace, type WorkspacePath } from './workspace.ts';

/** A change of one file that was worked out but not made yet. */
export interface FileChange {
  /** As the model named it. */
  readonly named: string;
  readonly path: WorkspacePath;
  readonly before: ExistingFile;
  /** Null removes the file. */
  readonly after: string | null;
}

/** The change as a unified diff; undefined when there is nothing to show. */
export function diffOf({ after, before, path }: FileChange): string | undefined {
  if (before.kind === 'opaque') return undefined;
  return unifiedDiff(path.label, before.kind === 'text' ? before.text : '', after ?? '');
}

/**
 * Makes all changes or none: what was done is undone when one of them fails. (A crash in between leaves some of
 * the files changed, each of them whole.) Throws when a file is no longer what it was when the change was
 * worked out: a question may have waited for minutes.
 */
export async function makeChanges(
  changes: readonly FileChange[],
  context: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<void> {
  for (const change of changes) await checkUnchanged(change, context.workspace);
  context.signal.throwIfAborted();
  const done: FileChange[] = [];
  try {
    for (const change of changes) {
      await put(change.path.real, change.after);
      done.push(change);
    }
  } catch (error) {
    for (const { before, path } of done.reverse()) {
      if (before.kind !== 'opaque') await put(path.real, before.kind === 'text' ? before.text : null);
    }
    throw error;
  }
}

async function checkUnchanged({ before, named, path }: FileChange, workspace: string): Promise<void> {
  const now = await resolveInWorkspace(workspace, named);
  const found = now.real === path.real ? await readExisting(path.real, path.label) : null;
  const isSame =
    found !== null &&
    found.kind === before.kind &&
    (found.kind !== 'text' || before.kind !== 'text' || found.text === before.text);
  if (!isSame) throw new Error(`${path.label} was changed by somebody else meanwhile. Read it again.`);
}

async function put(real: string, text: string | null): Promise<void> {
  if (text === null) await rm(real);
  else await writeText(real, text);
}
