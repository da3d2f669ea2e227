import { opendir } from 'node:fs/promises';
import * as z from 'zod';
import { askToRead } from './path-questions.ts';
import { defineTool } from './tool.ts';
import { pathTitle, resolveInWorkspace } from './workspace.ts';

const MAX_SHOWN = 1000;
/** Entries that are looked at before the count is given up. */
const MAX_SEEN = 20_000;

export const listTool = defineTool({
  name: 'list',
  description: 'List one folder, sorted by name. Folders end with "/", symbolic links with "@".',
  schema: z.object({ path: z.string().min(1).optional().describe('Folder; the workspace by default') }),
  title: (args, workspace) => pathTitle(workspace, args.path ?? '.'),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path ?? '.');
    const refusal = await askToRead(context, path);
    if (refusal !== null) return refusal;
    const names = await readNames(path.real, context.signal);
    if (names.length === 0) return { status: 'ok', output: '[The folder is empty.]' };
    const shown = names.slice(0, MAX_SHOWN);
    const rest = names.length - shown.length;
    const note = rest > 0 ? `\n[${rest}${names.length === MAX_SEEN ? ' or more' : ''} entries left out]` : '';
    return {
      status: 'ok',
      output: shown.join('\n') + note,
      outputBytes: Buffer.byteLength(names.join('\n')),
    };
  },
});

async function readNames(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(folder)) {
    signal.throwIfAborted();
    names.push(entry.name + (entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : ''));
    if (names.length === MAX_SEEN) break;
  }
  return names.sort();
}
