/**
 * MCP servers as the settings file names them (PROTOCOL.md, "Configuration"): for all workspaces, and for one.
 * Invariant: they stand in the settings and never in a file of the repository, which could otherwise start programs.
 */
import * as z from 'zod';

const timeoutMs = z.int().positive().max(3_600_000).optional();
const disabled = z.boolean().optional();
const programServer = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  /** Relative to the workspace, which is also the default. */
  cwd: z.string().optional(),
  timeoutMs,
  disabled,
});
const addressServer = z.looseObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Header by name of the environment variable that holds its value. */
  headersEnv: z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string()).optional(),
  timeoutMs,
  disabled,
});
/** The name is a part of rules (`mcp: server/tool`), so it holds no slash. */
export const mcpServers = z
  .record(
    z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
    z.union([programServer, addressServer], 'a server needs a command, or a url'),
  )
  .optional();

type McpProgram = z.infer<typeof programServer>;
/** A program to start, or an address. */
export type McpServer = McpProgram | z.infer<typeof addressServer>;
type McpServers = z.infer<typeof mcpServers>;

interface Naming {
  readonly mcpServers?: McpServers;
  readonly workspaces?: Readonly<Record<string, { readonly mcpServers?: McpServers }>> | undefined;
}

/** The servers of a workspace by name; its own ones stand before those of all workspaces. */
export function mcpServersOf(settings: Naming, workspace: string): Readonly<Record<string, McpServer>> {
  return { ...settings.mcpServers, ...settings.workspaces?.[workspace]?.mcpServers };
}

export function isProgram(server: McpServer): server is McpProgram {
  return Object.hasOwn(server, 'command');
}

export function unknownServerKeys(servers: McpServers, prefix: string): string[] {
  return Object.entries(servers ?? {}).flatMap(([name, server]) => {
    const { shape } = isProgram(server) ? programServer : addressServer;
    const unknown = Object.keys(server).filter((key) => !Object.hasOwn(shape, key));
    return unknown.map((key) => `unknown setting ${prefix}mcpServers.${name}.${key}`);
  });
}
