import { randomUUID } from 'node:crypto';
import type { Usage } from './runtime.ts';
import { argsRecord, executeTool, type ToolResult } from './tools/executor.ts';
import type { Tool, ToolSetting } from './tools/tool.ts';
import type { TurnIo } from './turn.ts';

/** What one model request came to. */
export interface RequestOutcome {
  /** Null when the provider did not count. */
  readonly usage: Usage | null;
  /** Tokens in the window after the request. */
  readonly contextTokens: number;
  readonly failure: string | null;
}

/** Turns what happens in an agent's loop into events. Invariant: call ids are our own, because providers repeat theirs. */
export interface TurnReporter {
  /** Model requests so far. */
  readonly requests: number;
  /** Why the last request failed, or null. */
  readonly failure: string | null;
  requestStarted(): void;
  text(delta: string): void;
  thinking(delta: string): void;
  requestEnded(outcome: RequestOutcome): void;
  /** Runs a tool and reports its beginning and its end. */
  runTool(tool: Tool, args: unknown): Promise<ToolResult>;
  /** Reports a call that never ran; `output` is what the model is told. */
  toolNotRun(call: NotRun): void;
}

type ToolId = Pick<Tool, 'name' | 'server'>;

export interface NotRun {
  readonly tool: ToolId;
  readonly args: unknown;
  readonly output: string;
}

/** `window` is the model's context window in tokens, null when unknown. */
export function createTurnReporter(io: TurnIo, setting: ToolSetting, window: number | null): TurnReporter {
  let requests = 0;
  let failure: string | null = null;
  let hasText = false;
  let needsSeparator = false;

  const toolStarted = (tool: ToolId, title: string, args: unknown): string => {
    const call = randomUUID();
    const { name, server } = tool;
    const of = server === undefined ? {} : { server };
    io.emit({ type: 'tool-start', call, name, title, args: argsRecord(args), ...of });
    return call;
  };

  return {
    get requests() {
      return requests;
    },
    get failure() {
      return failure;
    },
    requestStarted() {
      io.emit({ type: 'request', index: requests });
      requests += 1;
      needsSeparator = hasText;
    },
    text(delta) {
      if (delta === '') return;
      if (needsSeparator) io.emit({ type: 'text', text: '\n\n' });
      needsSeparator = false;
      hasText = true;
      io.emit({ type: 'text', text: delta });
    },
    thinking(delta) {
      if (delta !== '') io.emit({ type: 'thinking', text: delta });
    },
    requestEnded(outcome) {
      failure = outcome.failure;
      const { usage, contextTokens } = outcome;
      if (usage !== null) io.emit({ type: 'usage', usage, contextTokens, window });
    },
    async runTool(tool, args) {
      const call = toolStarted(tool, tool.title(args, setting.workspace), args);
      const result = await executeTool(tool, { id: call, args }, setting);
      const { image: _image, ...told } = result;
      io.emit({ type: 'tool-end', call, ...told });
      return result;
    },
    toolNotRun({ args, output, tool }) {
      const call = toolStarted(tool, tool.name, args);
      io.emit({
        type: 'tool-end',
        call,
        status: io.signal.aborted ? 'cancelled' : 'error',
        output,
        outputBytes: Buffer.byteLength(output),
        durationMs: 0,
        timedOut: false,
      });
    },
  };
}
