import { messageOf } from '../turn.ts';
import { createGate, type Gate } from './gate.ts';
import type { Tool, ToolOutput, ToolSetting } from './tool.ts';

/** A finished tool call, as events and the model need it. */
export interface ToolResult extends ToolOutput {
  readonly outputBytes: number;
  /** Without the time that questions waited. */
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly approvedBy?: 'rule' | 'mode';
}

export interface ToolCall {
  /** Our own id of the call. */
  readonly id: string;
  /** As the model gave them. */
  readonly args: unknown;
}

/**
 * Runs one tool. Never rejects: a fault becomes an `error` result, or `cancelled` once the turn is aborted.
 */
export async function executeTool(tool: Tool, call: ToolCall, setting: ToolSetting): Promise<ToolResult> {
  const startedAt = performance.now();
  const gate = createGate({ call: call.id, toolName: tool.name, args: argsRecord(call.args) }, setting);
  const output = await runSafely(tool, { call, setting, gate });
  const { approvedBy } = gate;
  return {
    ...output,
    outputBytes: output.outputBytes ?? Buffer.byteLength(output.output),
    durationMs: Math.max(0, Math.round(performance.now() - startedAt - gate.waitedMs)),
    timedOut: output.timedOut ?? false,
    ...(approvedBy === undefined || output.status === 'denied' ? {} : { approvedBy }),
  };
}

interface Run {
  readonly call: ToolCall;
  readonly setting: ToolSetting;
  readonly gate: Gate;
}

async function runSafely(tool: Tool, { call, gate, setting }: Run): Promise<ToolOutput> {
  const { permit: _permit, ...rest } = setting;
  const cancelled: ToolOutput = { status: 'cancelled', output: 'Cancelled by the user.' };
  if (setting.signal.aborted) return cancelled;
  try {
    return await tool.run(call.args, { ...rest, call: call.id, ask: gate.ask });
  } catch (error) {
    return setting.signal.aborted ? cancelled : { status: 'error', output: messageOf(error) };
  }
}

/** Arguments as a record; empty for anything else that a model may send. */
export function argsRecord(args: unknown): Record<string, unknown> {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : {};
}
