/** The service with the agent of this program: the only file of this room that knows the agent's implementation. */
import { createAgentRuntime } from '../agent/create-runtime.ts';
import { discoverLocalServers } from '../agent/discover.ts';
import { sandboxKind } from '../agent/sandbox/sandbox.ts';
import { type RunOptions, runServiceWith } from './run.ts';

export function runService(options: RunOptions): Promise<number> {
  return runServiceWith(options, (env, log) => ({
    runtime: createAgentRuntime({ env, log: (line) => log.warn('agent', { line }) }),
    discover: (signal) => discoverLocalServers(signal),
    sandboxKind: (workspace) => sandboxKind(workspace, env),
  }));
}
