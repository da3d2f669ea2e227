import { matchesGlob } from 'node:path';
import * as z from 'zod';
import { askToRead } from './path-questions.ts';
import { runRipgrep } from './ripgrep.ts';
import { defineTool } from './tool.ts';
import { resolveInWorkspace } from './workspace.ts';

const MAX_SHOWN = 500;
const MAX_LISTING_BYTES = 16 * 1024 * 1024;
const FLAGS = ['--files', '--hidden', '--no-require-git', '--null', '--sort=path', '--glob=!.git', './'];

export const findTool = defineTool({
  name: 'find',
  description:
    'Find files by glob, for example "*.ts" or "src/**/*.test.ts". Files that .gitignore names are left out. Paths come back relative to the searched folder.',
  schema: z.object({
    pattern: z.string().min(1).describe('Glob; without "/" it matches file names at any depth'),
    path: z.string().min(1).optional().describe('Folder to search; the workspace by default'),
  }),
  title: (args) => (args.path === undefined ? args.pattern : `${args.pattern} in ${args.path}`),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path ?? '.');
    const refusal = await askToRead(context, path);
    if (refusal !== null) return refusal;
    const listing = await runRipgrep(FLAGS, {
      cwd: path.real,
      signal: context.signal,
      maxBytes: MAX_LISTING_BYTES,
    });
    const glob = args.pattern.includes('/') ? args.pattern : `**/${args.pattern}`;
    const found = listing.stdout
      .toString('utf8')
      .split('\0')
      .map((name) => name.replace(/^\.\//u, ''))
      .filter((name) => name !== '' && matchesGlob(name, glob));
    if (found.length === 0) return { status: 'ok', output: 'No file matches.' };
    const shown = found.slice(0, MAX_SHOWN);
    const rest = found.length - shown.length;
    const partial = listing.code === null ? '\n[The folder is too large: not every file was looked at.]' : '';
    return {
      status: 'ok',
      output: shown.join('\n') + (rest > 0 ? `\n[${rest} more files left out]` : '') + partial,
      outputBytes: Buffer.byteLength(found.join('\n')),
    };
  },
});
