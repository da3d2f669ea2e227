import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type GroupResult, runInGroup } from './process-group.ts';
import { defineTool, type ToolOutput } from './tool.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;

const NOTICE = 'bash is not allowed in this workspace. Allow it: magi-term config set allow.bash true';

export const bashTool = defineTool({
  name: 'bash',
  description:
    'Run a shell command in the workspace. No input, no terminal; processes left in the background are stopped when the command ends. Output above 48 KB loses its middle.',
  schema: z.object({
    command: z.string().min(1),
    timeout: z
      .number()
      .positive()
      .max(MAX_SECONDS)
      .optional()
      .describe(`Seconds, at most ${MAX_SECONDS}; ${DEFAULT_SECONDS} by default`),
  }),
  title: (args) => args.command,
  async run(args, context) {
    if (!context.policy.bash) {
      return {
        status: 'denied',
        notice: NOTICE,
        output:
          'Not allowed: commands may not run in this workspace. Do not try another way around. Tell the user that they can allow it with: magi-term config set allow.bash true',
      };
    }
    const seconds = args.timeout ?? DEFAULT_SECONDS;
    const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
    const result = await runInGroup(shell, ['-c', args.command], {
      cwd: context.workspace,
      env: { ...context.env, TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' },
      timeoutMs: seconds * 1000,
      signal: context.signal,
    });
    return describe(result, seconds);
  },
});

function describe(result: GroupResult, seconds: number): ToolOutput {
  const text = result.output.text();
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const common = {
    outputBytes: result.output.total,
    ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
  };
  const say = (note: string): string => `${body}[${note}]`;
  switch (result.ended) {
    case 'abort':
      return { ...common, status: 'cancelled', output: say('Cancelled by the user.') };
    case 'timeout':
      return { ...common, status: 'error', timedOut: true, output: say(`Stopped after ${seconds} s.`) };
    case 'itself': {
      const background = result.stoppedBackground ? '\n[Processes left in the background were stopped.]' : '';
      if (result.exitCode === 0) {
        return { ...common, status: 'ok', output: (text === '' ? '[No output.]' : text) + background };
      }
      const code = result.exitCode === null ? 'Ended by a signal.' : `Exit code ${result.exitCode}.`;
      return { ...common, status: 'error', output: say(code) + background };
    }
  }
}
