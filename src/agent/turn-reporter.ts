import { randomUUID } from 'node:crypto';
import type { Usage } from './runtime.ts';
import { TOOLS } from './tools/all.ts';
import type { ToolResult } from './tools/executor.ts';
import type { ToolContext } from './tools/tool.ts';
import type { TurnIo } from './turn.ts';

/** What one model request came to. */
export interface RequestOutcome {
  /** Null when the provider did not count. */
  readonly usage: Usage | null;
  /** Tokens in the window after the request. */
  readonly contextTokens: number;
  readonly failure: string | null;
}

/**
 * Turns what happens in a turn's loop into events. Invariants: tools run one after another, so at most
 * one call is open; call ids are our own, because providers repeat theirs.
 */
export interface TurnReporter {
  /** Model requests so far. */
  readonly requests: number;
  /** Why the last request failed, or null. */
  readonly failure: string | null;
  requestStarted(): void;
  text(delta: string): void;
  thinking(delta: string): void;
  requestEnded(outcome: RequestOutcome): void;
  toolStarted(name: string, args: unknown): void;
  /** The executor's result; always before `toolEnded`. */
  toolFinished(result: ToolResult): void;
  /** Closes the call; `fallback` is the output of calls that never reached the executor. */
  toolEnded(fallback: string): void;
}

/** `window` is the model's context window in tokens, null when unknown. */
export function createTurnReporter(io: TurnIo, context: ToolContext, window: number | null): TurnReporter {
  let requests = 0;
  let failure: string | null = null;
  let hasText = false;
  let needsSeparator = false;
  let openCall = '';
  let finished: ToolResult | null = null;

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
    toolStarted(name, args) {
      openCall = randomUUID();
      finished = null;
      const tool = TOOLS.find((candidate) => candidate.name === name);
      io.emit({
        type: 'tool-start',
        call: openCall,
        name,
        title: tool?.title(args, context) ?? name,
        args: isRecord(args) ? args : {},
      });
    },
    toolFinished(result) {
      finished = result;
    },
    toolEnded(fallback) {
      const result = finished ?? neverRan(fallback, io.signal.aborted ? 'cancelled' : 'error');
      io.emit({ type: 'tool-end', call: openCall, ...result });
    },
  };
}

function neverRan(output: string, status: 'cancelled' | 'error'): ToolResult {
  return { status, output, outputBytes: Buffer.byteLength(output), durationMs: 0, timedOut: false };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
