/**
 * The MCP servers of a service. Invariants: connections outlive turns, and end with `close` or when the settings name
 * them no more or otherwise; a server that fails costs its tools and nothing else, and people are told once.
 */
import type { McpServer } from '../../platform/mcp-settings.ts';
import { unlessAborted } from '../abortable.ts';
import type { MoreTools } from '../tools/toolbox.ts';
import { messageOf } from '../turn.ts';
import type { McpConnection } from './connection.ts';
import type { McpFailure } from './failure.ts';
import type { ListedTool } from './listed-tool.ts';
import { toolName } from './tool-names.ts';

export interface McpOptions {
  /** What the settings say now; null when they cannot be read. */
  readonly servers: (workspace: string) => Readonly<Record<string, McpServer>> | null;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  /** A clock in ms. */
  readonly now?: () => number;
}

export interface McpServers {
  readonly tools: MoreTools;
  /** Ends every connection, and the programs behind them. */
  close(): Promise<void>;
}

interface Entry {
  /** What the connection was made from. */
  readonly origin: string;
  readonly connection: McpConnection;
}

type Named = readonly (readonly [name: string, server: McpServer])[];

/** Loads the SDK only once a server is named. */
export function createMcpServers(options: McpOptions): McpServers {
  const { log, servers } = options;
  const entries = new Map<string, Entry>();
  let isClosed = false;

  const drop = (name: string, { connection }: Entry): void => {
    entries.delete(name);
    void connection.close().catch((error) => log(`MCP server ${name}: ${messageOf(error)}`));
  };
  /** Lets go of what the settings name no more or otherwise, and adds what is new. */
  const follow = (named: Named, workspace: string, { McpConnection }: Sdk): void => {
    const origins = new Map(named.map(([name, server]) => [name, JSON.stringify([workspace, server])]));
    for (const [name, entry] of entries) if (origins.get(name) !== entry.origin) drop(name, entry);
    for (const [name, server] of named) {
      if (entries.has(name)) continue;
      const now = options.now ?? (() => performance.now());
      const connection = new McpConnection({ name, server, workspace, env: options.env, log, now });
      entries.set(name, { origin: origins.get(name) ?? '', connection });
    }
  };

  return {
    async tools(workspace, signal, tell) {
      const all = servers(workspace);
      if (all === null) return [];
      const named = Object.entries(all).filter(([, server]) => server.disabled !== true);
      if (named.length === 0 && entries.size === 0) return [];
      const sdk = await load();
      if (isClosed) return [];
      follow(named, workspace, sdk);
      const current = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
      const lists = current.map(async ([name, { connection }]) => {
        const told = tellerOf(name, tell);
        return { name, connection, told, listed: await toolsOf(connection, told) };
      });
      const taken = new Set<string>();
      return (await unlessAborted(Promise.all(lists), signal)).flatMap(({ connection, listed, name, told }) =>
        listed.map((tool) =>
          sdk.serverTool({
            name: toolName(name, tool.name, taken),
            server: name,
            listed: tool,
            connection,
            failed: told.broken,
          }),
        ),
      );
    },
    async close() {
      isClosed = true;
      const open = [...entries.values()];
      entries.clear();
      await Promise.allSettled(open.map(({ connection }) => connection.close()));
    },
  };
}

type Sdk = Awaited<ReturnType<typeof load>>;

async function load() {
  const [{ McpConnection }, { serverTool }] = await Promise.all([
    import('./connection.ts'),
    import('./server-tool.ts'),
  ]);
  return { McpConnection, serverTool };
}

/** How people hear of a failure. */
interface Teller {
  /** Its tools are missing in this turn. */
  missing(failure: McpFailure): void;
  /** A call ended with it. */
  broken(failure: McpFailure): void;
  mended(failure: McpFailure): void;
}

function tellerOf(name: string, tell: (notice: string) => void): Teller {
  const ending = (end: string) => (failure: McpFailure) =>
    failure.tellOnce((words) => tell(`MCP server ${name}: ${words}. ${end}`));
  return {
    missing: ending(
      'The turn goes on without its tools: see mcpServers in the settings, and the log of the service.',
    ),
    broken: ending('The next call tries it again; the log of the service may say more.'),
    mended: ending('It is there again.'),
  };
}

/** None when the server cannot be used. */
async function toolsOf(connection: McpConnection, told: Teller): Promise<readonly ListedTool[]> {
  try {
    const listed = await connection.tools();
    if (connection.lastFailure !== null) told.mended(connection.lastFailure);
    return listed;
  } catch {
    // The connection has logged it.
    if (connection.lastFailure !== null) told.missing(connection.lastFailure);
    return [];
  }
}
