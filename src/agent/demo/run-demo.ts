import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryItem, TurnRequest } from '../runtime.ts';
import { TOOLS } from '../tools/all.ts';
import { executeTool, type ToolResult } from '../tools/executor.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { TurnIo } from '../turn.ts';
import { createTurnReporter, type TurnReporter } from '../turn-reporter.ts';
import { DEMO_WINDOW_TOKENS } from './model.ts';
import { demoScript } from './scripts.ts';
import type { DemoStep } from './step.ts';

export interface DemoOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Pause between two pieces of text, in ms. */
  readonly chunkMs: number;
}

/** How much longer the pauses of a slow answer are. */
const SLOW_FACTOR = 13;
/** Up to three words with the white space before them. */
const PIECES = /(?:\s*\S+){1,3}|\s+$/gu;
const CHARS_PER_TOKEN = 4;

/** Runs one turn of the demo model: scripted text, real tools under the same policy, no network. */
export async function runDemoTurn(request: TurnRequest, io: TurnIo, options: DemoOptions): Promise<void> {
  const { workspace, policy } = request;
  const context: ToolContext = { workspace, policy, signal: io.signal, env: options.env };
  const reporter = createTurnReporter(io, context, DEMO_WINDOW_TOKENS);
  const script = demoScript(request.prompt);
  let inputChars = request.prompt.length + request.history.reduce((sum, item) => sum + charsOf(item), 0);
  let outputChars = 0;

  const endRequest = (): void => {
    reporter.requestEnded(countTokens(inputChars, outputChars));
    inputChars += outputChars;
    outputChars = 0;
  };

  reporter.requestStarted();
  for (let step = script.next(); step.done !== true; ) {
    io.signal.throwIfAborted();
    if (step.value.kind !== 'tool') {
      outputChars += step.value.text.length;
      await stream(step.value, reporter, { chunkMs: options.chunkMs, signal: io.signal });
      step = script.next();
      continue;
    }
    endRequest();
    const result = await runTool(step.value, context, reporter);
    inputChars += result.output.length;
    io.signal.throwIfAborted();
    reporter.requestStarted();
    step = script.next(result);
  }
  endRequest();
}

type TextStep = Exclude<DemoStep, { kind: 'tool' }>;
type ToolStep = Extract<DemoStep, { kind: 'tool' }>;

interface Pace {
  readonly chunkMs: number;
  readonly signal: AbortSignal;
}

async function stream(step: TextStep, reporter: TurnReporter, pace: Pace): Promise<void> {
  const isSlow = step.kind === 'say' && step.pace === 'slow';
  const pause = isSlow ? pace.chunkMs * SLOW_FACTOR : pace.chunkMs;
  for (const piece of step.text.match(PIECES) ?? []) {
    await sleep(pause, undefined, { signal: pace.signal });
    if (step.kind === 'say') reporter.text(piece);
    else reporter.thinking(piece);
  }
}

async function runTool(step: ToolStep, context: ToolContext, reporter: TurnReporter): Promise<ToolResult> {
  const tool = TOOLS.find((candidate) => candidate.name === step.name);
  if (tool === undefined) throw new Error(`The demo script uses an unknown tool: ${step.name}`);
  reporter.toolStarted(step.name, step.args);
  const result = await executeTool(tool, step.args, context);
  reporter.toolFinished(result);
  reporter.toolEnded('');
  return result;
}

function countTokens(inputChars: number, outputChars: number) {
  const inputTokens = Math.ceil(inputChars / CHARS_PER_TOKEN);
  const outputTokens = Math.ceil(outputChars / CHARS_PER_TOKEN);
  return {
    usage: { inputTokens, outputTokens, cacheReadTokens: 0, cost: 0 },
    contextTokens: inputTokens + outputTokens,
    failure: null,
  };
}

function charsOf(item: HistoryItem): number {
  return item.kind === 'tool' ? item.output.length : item.text.length;
}
