/** The service with the agent of this program: the only file of this room that knows the agent's implementation. */
import { createAgentRuntime } from '../agent/create-runtime.ts';
import { discoverLocalServers } from '../agent/discover.ts';
import { createMcpServers } from '../agent/mcp/servers.ts';
import { sandboxKind } from '../agent/sandbox/sandbox.ts';
import { mcpServersOf } from '../platform/mcp-settings.ts';
import { readSettings } from '../platform/settings.ts';
import { type RunOptions, runServiceWith } from './run.ts';

export async function runService(options: RunOptions): Promise<number> {
  let close = async (): Promise<void> => undefined;
  try {
    return await runServiceWith(options, (env, log) => {
      const tell = (line: string): void => log.warn('agent', { line });
      const mcp = createMcpServers({
        servers: (path) => serversIn(options.settingsFile, path),
        env,
        log: tell,
      });
      close = mcp.close;
      return {
        runtime: createAgentRuntime({ env, log: tell, moreTools: mcp.tools }),
        discover: (signal) => discoverLocalServers(signal),
        sandboxKind: (workspace) => sandboxKind(workspace, env),
      };
    });
  } finally {
    await close();
  }
}

/** Null when the settings cannot be read. */
function serversIn(settingsFile: string, workspace: string): ReturnType<typeof mcpServersOf> | null {
  const read = readSettings(settingsFile);
  return read.ok ? mcpServersOf(read.settings, workspace) : null;
}
