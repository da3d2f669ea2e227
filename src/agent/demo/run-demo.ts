import { setTimeout as sleep } from 'node:timers/promises';
import { TurnFailure } from '../failure.ts';
import { fitHistory, KEPT_SHARE } from '../history-size.ts';
import type { HistoryItem, TurnRequest } from '../runtime.ts';
import { createTaskTool } from '../subagents.ts';
import type { ToolResult } from '../tools/executor.ts';
import { type ToolHost, toolSetting } from '../tools/setting.ts';
import type { Tool, ToolSetting } from '../tools/tool.ts';
import { toolsFor } from '../tools/toolbox.ts';
import type { TurnIo } from '../turn.ts';
import { createTurnReporter, type TurnReporter } from '../turn-reporter.ts';
import { DEMO_WINDOW_TOKENS } from './model.ts';
import { demoScript } from './scripts.ts';
import type { DemoStep } from './step.ts';

export interface DemoOptions {
  readonly host: ToolHost;
  /** Pause between two pieces of text, in ms. */
  readonly chunkMs: number;
}

/** How much longer the pauses of a slow answer are. */
const SLOW_FACTOR = 13;
/** Up to three words with the white space before them. */
const PIECES = /(?:\s*\S+){1,3}|\s+$/gu;
const CHARS_PER_TOKEN = 4;

/** Runs one turn of the demo model: scripted text, real tools under the same rights, no network. */
export async function runDemoTurn(request: TurnRequest, io: TurnIo, options: DemoOptions): Promise<void> {
  const setting = toolSetting(request, { signal: io.signal, seesImages: false }, options.host);
  const { chunkMs, host } = options;
  const tools = await toolsFor(request.workspace, io, host);
  const task = createTaskTool(io, (prompt, childIo) =>
    runAgent({ prompt, knownChars: 0, tools, setting, chunkMs }, childIo),
  );
  const knownChars = fitHistory(request.history, DEMO_WINDOW_TOKENS * KEPT_SHARE).reduce(
    (sum, item) => sum + charsOf(item),
    0,
  );
  await runAgent({ prompt: request.prompt, knownChars, tools: [...tools, task], setting, chunkMs }, io);
}

interface DemoAgent {
  readonly prompt: string;
  /** Size of the earlier conversation. */
  readonly knownChars: number;
  readonly tools: readonly Tool[];
  readonly setting: ToolSetting;
  readonly chunkMs: number;
}

async function runAgent(
  { chunkMs, knownChars, prompt, setting, tools }: DemoAgent,
  io: TurnIo,
): Promise<void> {
  const reporter = createTurnReporter(io, setting, DEMO_WINDOW_TOKENS);
  let script = demoScript(prompt);
  let inputChars = prompt.length + knownChars;
  let outputChars = 0;

  const endRequest = (): void => {
    reporter.requestEnded(countTokens(inputChars, outputChars));
    inputChars += outputChars;
    outputChars = 0;
  };
  /** What the model does next: the rest of its script, or what it was told meanwhile. */
  const next = (result?: ToolResult): IteratorResult<DemoStep, void> => {
    const step = script.next(result);
    const told = step.done === true ? io.steers.takeOrClose() : [];
    if (told.length === 0) return step;
    endRequest();
    inputChars += told.join('').length;
    reporter.requestStarted();
    script = demoScript(told.join('\n'));
    return script.next();
  };

  reporter.requestStarted();
  for (let step = next(); step.done !== true; ) {
    io.signal.throwIfAborted();
    if (step.value.kind !== 'tool') {
      outputChars += step.value.text.length;
      await stream(step.value, reporter, { chunkMs, signal: io.signal });
      step = next();
      continue;
    }
    endRequest();
    const result = await runTool(step.value, tools, reporter);
    inputChars += result.output.length;
    io.signal.throwIfAborted();
    reporter.requestStarted();
    step = next(result);
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

function runTool(step: ToolStep, tools: readonly Tool[], reporter: TurnReporter): Promise<ToolResult> {
  const tool = tools.find((candidate) => candidate.name === step.name);
  if (tool === undefined) {
    const words = `There is no tool ${step.name} here: a subagent cannot start another one.`;
    throw new TurnFailure(words, words);
  }
  return reporter.runTool(tool, step.args);
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
