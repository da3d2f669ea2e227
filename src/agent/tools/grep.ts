import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { wholeEnd } from './bounded.ts';
import { askToRead } from './path-questions.ts';
import { runRipgrep } from './ripgrep.ts';
import { defineTool, type ToolOutput } from './tool.ts';
import { resolveInWorkspace } from './workspace.ts';

const MAX_BYTES = 48 * 1024;
const MAX_COLUMNS = '400';

const schema = z.object({
  pattern: z.string().min(1).describe('Regular expression (ripgrep syntax)'),
  path: z.string().min(1).optional().describe('File or folder; the workspace by default'),
  glob: z.string().min(1).optional().describe('Only files that match this glob'),
  literal: z.boolean().optional().describe('Take the pattern as plain text'),
  ignore_case: z.boolean().optional(),
});

export const grepTool = defineTool({
  name: 'grep',
  description:
    'Search file contents with a regular expression. Files that .gitignore names and binary files are left out. Output: path:line:text.',
  schema,
  title: (args) => (args.path === undefined ? args.pattern : `${args.pattern} in ${args.path}`),
  async run(args, context) {
    const path = await resolveInWorkspace(context.workspace, args.path ?? '.');
    const refusal = await askToRead(context, path);
    if (refusal !== null) return refusal;
    const isFolder = (await stat(path.real)).isDirectory();
    const target = isFolder ? './' : `./${basename(path.real)}`;
    const result = await runRipgrep([...flags(args), target], {
      cwd: isFolder ? path.real : dirname(path.real),
      signal: context.signal,
      maxBytes: MAX_BYTES,
    });
    if (result.code === 2 && result.stdout.length === 0)
      return { status: 'error', output: result.stderr.trim() };
    return describe(result.stdout, result.code === null);
  },
});

function flags(args: z.infer<typeof schema>): string[] {
  return [
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--color=never',
    '--hidden',
    '--no-require-git',
    '--glob=!.git',
    '--sort=path',
    `--max-columns=${MAX_COLUMNS}`,
    '--max-columns-preview',
    ...(args.glob === undefined ? [] : [`--glob=${args.glob}`]),
    ...(args.literal === true ? ['--fixed-strings'] : []),
    ...(args.ignore_case === true ? ['--ignore-case'] : []),
    `--regexp=${args.pattern}`,
    '--',
  ];
}

function describe(stdout: Buffer, isFull: boolean): ToolOutput {
  if (stdout.length === 0) return { status: 'ok', output: 'No line matches.' };
  if (!isFull) return { status: 'ok', output: stdout.toString('utf8').replaceAll(/^\.\//gmu, '') };
  const text = wholeEnd(stdout.subarray(0, MAX_BYTES)).replaceAll(/^\.\//gmu, '');
  const shown = text.slice(0, text.lastIndexOf('\n') + 1);
  return {
    status: 'ok',
    output: `${shown}[Cut at 48 KB: use a narrower pattern, path or glob.]`,
    outputBytes: stdout.length,
  };
}
