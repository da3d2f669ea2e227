import {
  type AgentContext,
  type AgentTool,
  runAgentLoop,
  type AgentEvent as SdkEvent,
} from '@earendil-works/pi-agent-core';
import {
  type Api,
  type AssistantMessage,
  type Message,
  type Model,
  toToolDeclaration,
} from '@earendil-works/pi-ai';
import { anthropicMessagesApi } from '@earendil-works/pi-ai/api/anthropic-messages.lazy';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { openAIResponsesApi } from '@earendil-works/pi-ai/api/openai-responses.lazy';
import { TurnFailure } from '../failure.ts';
import type { AgentTiming } from '../options.ts';
import type { TurnRequest } from '../runtime.ts';
import { systemPrompt } from '../system-prompt.ts';
import { TOOLS } from '../tools/all.ts';
import { executeTool } from '../tools/executor.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { TurnIo } from '../turn.ts';
import { createTurnReporter, type RequestOutcome, type TurnReporter } from '../turn-reporter.ts';
import { type NetworkProvider, type ServerModel, sdkModel } from './catalogue.ts';
import { fitHistory, historyMessages } from './history.ts';
import { createResilientStream } from './resilient-stream.ts';
import { sdkThinkingLevel } from './thinking.ts';

/** A turn with more model requests than this is taken for a loop and stopped. */
const MAX_REQUESTS = 200;
const ENDLESS = `Stopped after ${MAX_REQUESTS} model requests in one turn.`;

export interface ProviderTurnOptions {
  readonly provider: NetworkProvider;
  readonly known: ServerModel | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly timing: AgentTiming;
  readonly log: (line: string) => void;
}

/** Runs one turn with a real model. Rejects with a sentence when it fails. */
export async function runProviderTurn(
  request: TurnRequest,
  io: TurnIo,
  options: ProviderTurnOptions,
): Promise<void> {
  refuseSubscriptionToken(options.provider);
  silenceSdks();
  const model = sdkModel(options.provider, request.modelId, options.known);
  const window = model.contextWindow > 0 ? model.contextWindow : null;
  const context: ToolContext = {
    workspace: request.workspace,
    policy: request.policy,
    signal: io.signal,
    env: options.env,
  };
  const reporter = createTurnReporter(io, context, window);
  const history = fitHistory(request.history, window);
  if (history.length < request.history.length) {
    options.log(`history too long: ${request.history.length - history.length} items left out`);
  }
  const tools = TOOLS.map((tool) => sdkTool(tool, context, reporter));
  const messages = [opening(request, tools), ...historyMessages(history, model)];
  let notice = '';
  const onFailure = (words: string): void => {
    notice = words;
  };
  await runLoop({
    request,
    options,
    model,
    reporter,
    onFailure,
    signal: io.signal,
    opening: { messages, tools },
  });
  if (reporter.failure !== null) throw new TurnFailure(reporter.failure, notice);
}

interface Loop {
  readonly request: TurnRequest;
  readonly options: ProviderTurnOptions;
  readonly model: Model<Api>;
  readonly reporter: TurnReporter;
  readonly onFailure: (notice: string) => void;
  readonly signal: AbortSignal;
  readonly opening: AgentContext;
}

async function runLoop({
  request,
  options,
  model,
  reporter,
  onFailure,
  signal,
  opening,
}: Loop): Promise<void> {
  const reasoning = sdkThinkingLevel(model, request.thinkingLevel);
  const stream = createResilientStream(apiOf(model.api), {
    timing: options.timing,
    headers: headerPolicy(options.provider),
    log: options.log,
    onFailure,
  });
  let isEndless = false;
  await runAgentLoop(
    [{ role: 'user', content: request.prompt, timestamp: Date.now() }],
    opening,
    {
      model,
      // The adapters insist on a key; the guarded fetch drops this one again.
      apiKey: options.provider.apiKey ?? 'none',
      ...(reasoning === undefined ? {} : { reasoning }),
      toolExecution: 'sequential',
      convertToLlm: (messages) => messages.filter((message) => 'role' in message),
      finishTurn: ({ toolResults }) => {
        isEndless = toolResults.length > 0 && reporter.requests >= MAX_REQUESTS;
        return isEndless ? { action: 'end' } : undefined;
      },
    },
    (event) => report(event, reporter),
    signal,
    (...args) => {
      if (!signal.aborted) reporter.requestStarted();
      return stream(...args);
    },
  );
  if (isEndless) throw new TurnFailure(ENDLESS, `${ENDLESS} Say how to go on in a new message.`);
}

/** The tools belong into the first message: the SDK would declare missing ones after the history. */
function opening(request: TurnRequest, tools: readonly AgentTool[]): Message {
  return {
    role: 'system',
    content: systemPrompt(request.workspace, request.policy),
    toolsAdded: tools.map(toToolDeclaration),
    timestamp: 0,
  };
}

function report(event: SdkEvent, reporter: TurnReporter): void {
  switch (event.type) {
    case 'message_update': {
      const delta = event.assistantMessageEvent;
      if (delta.type === 'text_delta') reporter.text(delta.delta);
      if (delta.type === 'thinking_delta') reporter.thinking(delta.delta);
      break;
    }
    case 'message_end':
      if (isAssistant(event.message)) reporter.requestEnded(outcomeOf(event.message));
      break;
    case 'tool_execution_start':
      reporter.toolStarted(event.toolName, event.args);
      break;
    case 'tool_execution_end':
      reporter.toolEnded(textOf(event.result));
      break;
    default:
      break;
  }
}

function isAssistant(message: { role: string }): message is AssistantMessage {
  return message.role === 'assistant';
}

function outcomeOf({ stopReason, errorMessage, usage }: AssistantMessage): RequestOutcome {
  const counted = {
    inputTokens: usage.input + usage.cacheWrite,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cost: usage.cost.total,
  };
  return {
    usage: usage.totalTokens === 0 ? null : counted,
    contextTokens: usage.totalTokens,
    failure: stopReason === 'error' ? (errorMessage ?? 'unknown error') : null,
  };
}

/** The text of a result that the SDK made itself, for example for wrong arguments. */
function textOf(result: unknown): string {
  if (typeof result !== 'object' || result === null || !('content' in result)) return '';
  const { content } = result;
  if (!Array.isArray(content)) return '';
  const [block] = content;
  return typeof block?.text === 'string' ? block.text : '';
}

function sdkTool(tool: Tool, context: ToolContext, reporter: TurnReporter): AgentTool {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    async execute(_id, args) {
      const result = await executeTool(tool, args, context);
      reporter.toolFinished(result);
      return {
        content: [{ type: 'text', text: result.output }],
        details: undefined,
        isError: result.status !== 'ok',
      };
    },
  };
}

function apiOf(api: string): ReturnType<typeof anthropicMessagesApi> {
  switch (api) {
    case 'anthropic-messages':
      return anthropicMessagesApi();
    case 'openai-responses':
      return openAIResponsesApi();
    default:
      return openAICompletionsApi();
  }
}

function headerPolicy(provider: NetworkProvider): 'vendor' | 'custom-with-key' | 'custom-without-key' {
  if (provider.baseUrl === null) return 'vendor';
  return provider.apiKey === null ? 'custom-without-key' : 'custom-with-key';
}

/** The vendors' SDKs print answers (and on request headers) to the console; only the environment turns that off. */
function silenceSdks(): void {
  process.env.OPENAI_LOG = 'off';
  process.env.ANTHROPIC_LOG = 'off';
}

/** With such a token the SDK would present itself as another vendor's client. */
function refuseSubscriptionToken(provider: NetworkProvider): void {
  if (provider.api === 'anthropic-messages' && provider.apiKey?.includes('sk-ant-oat') === true) {
    throw new Error('This is a subscription token of another client. An API key is needed.');
  }
}
