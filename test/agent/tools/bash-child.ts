/** A process that runs one command as the bash tool does. Arguments: folder, command. */
import { bashTool } from '../../../src/agent/tools/bash.ts';
import { executeTool } from '../../../src/agent/tools/executor.ts';

const [, , workspace = '', command = ''] = process.argv;
await executeTool(
  bashTool,
  { id: 'c1', args: { command } },
  {
    workspace,
    permit: async () => ({ allowed: true, by: 'mode' }),
    sandbox: null,
    signal: new AbortController().signal,
    env: process.env,
    seesImages: false,
  },
);
