import { cutText } from '../tools/bounded.ts';
import { argsRecord } from '../tools/executor.ts';
import { oneLine, type Tool, type ToolContext, type ToolOutput } from '../tools/tool.ts';
import { messageOf } from '../turn.ts';
import type { McpConnection } from './connection.ts';
import { isTimeout, McpFailure } from './failure.ts';
import type { ListedTool } from './listed-tool.ts';
import { boundedText, resultOutput } from './result-text.ts';

/** A tool of a server, as the agents of one turn have it. */
export interface ServerTool {
  /** Under which models know it. */
  readonly name: string;
  /** Of the server, as in the settings. */
  readonly server: string;
  readonly listed: ListedTool;
  readonly connection: McpConnection;
  /** Tells people of the turn about a failure of the server. */
  readonly failed: (failure: McpFailure) => void;
}

const TITLE_ARGS_BYTES = 200;

/** Asks before every call; whatever the server gives is bounded. */
export function serverTool(made: ServerTool): Tool {
  const { listed, name, server } = made;
  const subject = `${server}/${listed.name}`;
  const title = (args: unknown): string =>
    oneLine(`${subject} ${cutText(JSON.stringify(argsRecord(args)), TITLE_ARGS_BYTES)}`);
  return {
    name,
    server,
    description: `[Tool of the MCP server ${server}] ${listed.description}`,
    parameters: listed.parameters,
    title,
    async run(args, context) {
      const refusal = await context.ask({ kind: 'mcp', subject, title: title(args) });
      return refusal ?? (await call(made, args, context));
    },
  };
}

async function call(made: ServerTool, args: unknown, { signal }: ToolContext): Promise<ToolOutput> {
  const { connection, failed, listed, server } = made;
  try {
    return resultOutput(await connection.call(listed.name, argsRecord(args), signal));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof McpFailure) {
      failed(error);
      return { status: 'error', output: `The MCP server ${server} cannot be used: ${error.words}.` };
    }
    if (isTimeout(error))
      return { status: 'error', timedOut: true, output: `[No result after ${connection.callMs / 1000} s.]` };
    const { outputBytes, text } = boundedText(messageOf(error).toWellFormed());
    return { status: 'error', output: `The call failed: ${text}`, outputBytes };
  }
}
