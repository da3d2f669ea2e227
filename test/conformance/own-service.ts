/**
 * Our service as a process, with its real agent and nothing found on this machine.
 * Arguments: workspace, state root, settings file, version.
 */
import { createAgentRuntime } from '../../src/agent/create-runtime.ts';
import { runServiceWith } from '../../src/service/run.ts';

const [, , workspace = '', stateRoot = '', settingsFile = '', version = ''] = process.argv;
const options = { workspace, stateRoot, settingsFile, version, env: process.env, detached: true };

process.exitCode = await runServiceWith(options, (env) => ({
  discover: async () => [],
  runtime: createAgentRuntime({ env }),
}));
