/** The service with its own agent, which waits a second for a model where the program waits minutes. Arguments: workspace, state root. */
import { dirname, join } from 'node:path';
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { VERSION } from '../../src/platform/version.ts';
import { runServiceWith } from '../../src/service/run.ts';

const [, , workspace = '', stateRoot = ''] = process.argv;
const { env } = process;
const settingsFile = join(dirname(stateRoot), 'settings.json');
const options = { workspace, stateRoot, settingsFile, env, version: VERSION, detached: true };

process.exitCode = await runServiceWith(options, () => ({
  discover: async () => [],
  runtime: createAgentRuntime({ env, timing: { firstByteMs: 1_000, idleMs: 1_000 } }),
}));
