/** The servers of one test, and what was told and logged about them. */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createMcpServers } from '../../../src/agent/mcp/servers.ts';
import type { ToolResult } from '../../../src/agent/tools/executor.ts';
import type { Tool, ToolSetting } from '../../../src/agent/tools/tool.ts';
import type { McpServer } from '../../../src/platform/mcp-settings.ts';
import { permitting, runTool, tempFolder } from '../support.ts';

const CHILD = fileURLToPath(new URL('./stdio-child.ts', import.meta.url));

/** The fixture as a program. */
export function program(...moods: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [CHILD, ...moods] };
}

export async function mcpWorld(named: Record<string, McpServer>, env: NodeJS.ProcessEnv = process.env) {
  const workspace = await tempFolder();
  const log: string[] = [];
  const told: string[] = [];
  const world = { workspace, log, told, named, elapsedMs: 0 };
  const mcp = createMcpServers({
    servers: () => world.named,
    env,
    log: (line) => log.push(line),
    now: () => world.elapsedMs,
  });
  onTestFinished(() => mcp.close());
  const tools = (signal = new AbortController().signal): Promise<readonly Tool[]> =>
    mcp.tools(workspace, signal, (notice) => told.push(notice));
  /** What a turn would do that calls the tool once. */
  const call = async (
    name: string,
    args: unknown = {},
    changes: Partial<ToolSetting> = {},
  ): Promise<ToolResult> => {
    const tool = (await tools()).find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return runTool(tool, workspace, args, { permit: permitting('mcp'), ...changes });
  };
  return Object.assign(world, { mcp, tools, call });
}

export function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}
