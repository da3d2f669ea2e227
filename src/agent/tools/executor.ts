import { messageOf } from '../turn.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

/** A finished tool call, as events and the model need it. */
export interface ToolResult extends ToolOutput {
  readonly outputBytes: number;
  readonly durationMs: number;
  readonly timedOut: boolean;
}

/**
 * Runs one tool. Never rejects: a fault becomes an `error` result, or `cancelled` once the turn is aborted.
 */
export async function executeTool(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const startedAt = performance.now();
  const output = await runSafely(tool, args, context);
  return {
    ...output,
    outputBytes: output.outputBytes ?? Buffer.byteLength(output.output),
    durationMs: Math.round(performance.now() - startedAt),
    timedOut: output.timedOut ?? false,
  };
}

async function runSafely(tool: Tool, args: unknown, context: ToolContext): Promise<ToolOutput> {
  const cancelled: ToolOutput = { status: 'cancelled', output: 'Cancelled by the user.' };
  if (context.signal.aborted) return cancelled;
  try {
    return await tool.run(args, context);
  } catch (error) {
    return context.signal.aborted ? cancelled : { status: 'error', output: messageOf(error) };
  }
}
