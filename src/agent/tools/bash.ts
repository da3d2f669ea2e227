import { existsSync } from 'node:fs';
import * as z from 'zod';
import type { ConfinedCommand } from '../sandbox/confine.ts';
import { type GroupResult, runInGroup } from './process-group.ts';
import { defineTool, oneLine, type ToolOutput } from './tool.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;

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
    const sandbox = context.sandbox?.() ?? null;
    if (sandbox?.kind === null) return unconfinable(sandbox.reason);
    const refusal = await context.ask({ kind: 'bash', subject: args.command, title: oneLine(args.command) });
    if (refusal !== null) return refusal;
    const seconds = args.timeout ?? DEFAULT_SECONDS;
    const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
    const command = sandbox === null ? unconfined(shell, args.command) : sandbox.confine(shell, args.command);
    const kept = context.keepOutput?.(context.call);
    try {
      const result = await runInGroup(command.program, command.args, {
        cwd: context.workspace,
        env: { ...context.env, ...QUIET, ...command.env },
        timeoutMs: seconds * 1000,
        signal: context.signal,
        onOutput: (chunk) => kept?.add(chunk),
      });
      if (sandbox === null) return describe(result, seconds);
      // The sandbox's own process goes last, and takes with it whatever was left.
      const output = describe({ ...result, stoppedBackground: false }, seconds);
      return output.status === 'error' ? { ...output, output: `${output.output}\n${CONFINED}` } : output;
    } finally {
      kept?.close();
      command.release();
    }
  },
});

const QUIET = { TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
const CONFINED = '[The command ran confined: no network, and only the workspace and /tmp can be written.]';

function unconfined(shell: string, script: string): ConfinedCommand {
  return { program: shell, args: ['-c', script], env: {}, release: () => undefined };
}

const WHY = {
  missing: 'no sandbox is installed (Linux: install bubblewrap)',
  broken: 'the sandbox does not work on this system (in a container it may lack the rights)',
  unknown: 'there is no sandbox for this system',
};

/** Better no command than one that is not confined although it should be. */
function unconfinable(reason: keyof typeof WHY): ToolOutput {
  return {
    status: 'denied',
    notice: `bash must run confined here, but ${WHY[reason]}. Mend that, or switch the sandbox off.`,
    output: `Not allowed: commands must run confined here, but ${WHY[reason]}. Do not try another way around. Tell the user.`,
  };
}

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
