import {
  type AgentContext,
  type AgentLoopConfig,
  type AgentTool,
  runAgentLoop,
  runAgentLoopContinue,
} from '@earendil-works/pi-agent-core';
import {
  type Api,
  type Message,
  type Model,
  toToolDeclaration,
  type UserMessage,
} from '@earendil-works/pi-ai';
import { anthropicMessagesApi } from '@earendil-works/pi-ai/api/anthropic-messages.lazy';
import { openAICodexResponsesApi } from '@earendil-works/pi-ai/api/openai-codex-responses.lazy';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { openAIResponsesApi } from '@earendil-works/pi-ai/api/openai-responses.lazy';
import { TurnFailure } from '../failure.ts';
import { hasFastMode } from '../fast-mode.ts';
import type { AgentTiming } from '../options.ts';
import type { HistoryItem } from '../runtime.ts';
import type { Tool, ToolSetting } from '../tools/tool.ts';
import type { TurnIo } from '../turn.ts';
import { createTurnReporter } from '../turn-reporter.ts';
import type { NetworkProvider } from './catalogue.ts';
import { type CodexAccount, standInToken } from './codex.ts';
import type { Fitting } from './fitting.ts';
import type { HeaderPolicy } from './guarded-fetch.ts';
import { historyMessages } from './history.ts';
import { type LoadedImages, newestImages, type Said, userContent } from './images.ts';
import { createReport } from './report.ts';
import { createResilientStream, type RequestFailure } from './resilient-stream.ts';
import { sdkTools } from './sdk-tools.ts';
import { secondTry } from './second-try.ts';
import { sdkThinkingLevel } from './thinking.ts';

/** What OpenAI calls the fast mode. */
const PRIORITY = { service_tier: 'priority' } as const;

/** The model that all agents of a turn ask. */
export interface ModelAccess {
  readonly provider: NetworkProvider;
  readonly model: Model<Api>;
  readonly thinkingLevel: string;
  readonly fast: boolean;
  readonly timing: AgentTiming;
  readonly log: (line: string) => void;
}

/** One agent: what it knows, what it can do, and how long it may go on. */
export interface Agent {
  readonly access: ModelAccess;
  readonly setting: ToolSetting;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly history: readonly HistoryItem[];
  readonly prompt: Said;
  /** Those of the history and of the prompt. */
  readonly images: LoadedImages;
  /** Null leaves the messages as they are. */
  readonly fitting: Fitting | null;
  /** More model requests are taken for a loop and stopped. */
  readonly maxRequests: number;
}

/** Runs one agent to its end. Rejects with a `TurnFailure` when the model could not be used. */
export async function runLoop(agent: Agent, io: TurnIo): Promise<void> {
  const { access, fitting, images, maxRequests } = agent;
  const { signal, steers } = io;
  let { model } = access;
  const window = model.contextWindow > 0 ? model.contextWindow : null;
  const reporter = createTurnReporter(io, agent.setting, window);
  const tools = sdkTools(agent.tools, reporter);
  const reasoning = sdkThinkingLevel(model, access.thinkingLevel);
  const seen: { failure: RequestFailure | null } = { failure: null };
  let isEndless = false;
  const stream = createResilientStream(apiOf(model.api), {
    timing: access.timing,
    extra: access.fast && hasFastMode(access.provider) ? PRIORITY : {},
    headers: headerPolicy(access.provider),
    log: access.log,
    onFailure: (failure) => {
      seen.failure = failure;
    },
  });
  let context: AgentContext = {
    messages: [opening(agent.system, tools), ...historyMessages(agent.history, model, images)],
    tools,
  };
  const config = (): AgentLoopConfig => ({
    model,
    // The adapters insist on a key; the guarded fetch drops this one again.
    apiKey: keyFor(access.provider),
    ...(reasoning === undefined ? {} : { reasoning }),
    toolExecution: 'parallel',
    convertToLlm: newestImages,
    prepareRequest: async ({ context: { messages } }) => {
      context = { messages: fitting === null ? messages : await fitting.before(messages), tools };
      return { context };
    },
    getSteeringMessages: async () => steers.take().map(userMessage),
    getFollowUpMessages: async () => steers.takeOrClose().map(userMessage),
    finishTurn: ({ toolResults }) => {
      isEndless = toolResults.length > 0 && reporter.requests >= maxRequests;
      return isEndless ? { action: 'end' } : undefined;
    },
  });
  const report = createReport(reporter, agent.tools);
  const request: typeof stream = (...args) => {
    if (!signal.aborted) reporter.requestStarted();
    return stream(...args);
  };
  const prompt = userMessage(userContent(agent.prompt, images));
  await runAgentLoop([prompt], context, config(), report, signal, request);
  // One that was made anew and fails at once has failed.
  for (let renewed = 0; seen.failure !== null && reporter.requests !== renewed && !signal.aborted; ) {
    const failed = { messages: context.messages.slice(0, -1), model };
    const next = await secondTry(failed, seen.failure, fitting, io);
    if (next === null) break;
    seen.failure = null;
    renewed = reporter.requests + 1;
    model = next.model;
    context = { messages: next.messages, tools };
    await runAgentLoopContinue(context, config(), report, signal, request);
  }
  if (isEndless) {
    const words = `Stopped after ${maxRequests} model requests in one turn.`;
    throw new TurnFailure(words, `${words} Say how to go on in a new message.`);
  }
  if (reporter.failure !== null) throw turnFailure(reporter.failure, seen.failure, model);
}

function turnFailure(message: string, failure: RequestFailure | null, { api }: Model<Api>): TurnFailure {
  const trouble = failure?.trouble;
  const isRefused = api === CODEX && trouble?.kind === 'status' && trouble.status === 401;
  return new TurnFailure(message, isRefused ? SIGN_IN_AGAIN : (failure?.notice ?? ''), isRefused);
}

const CODEX = 'openai-codex-responses';
const SIGN_IN_AGAIN =
  'Codex no longer takes the sign-in (401). Sign in to Codex again, then send the message again.';

function keyFor(provider: NetworkProvider): string {
  if (provider.api !== CODEX) return provider.apiKey ?? 'none';
  return standInToken(accountOf(provider).accountId);
}

/** @throws TurnFailure when nobody is signed in */
function accountOf({ credential }: Extract<NetworkProvider, { api: typeof CODEX }>): CodexAccount {
  if (typeof credential === 'string') throw new TurnFailure(credential, credential);
  return credential;
}

function userMessage(content: UserMessage['content']): UserMessage {
  return { role: 'user', content, timestamp: Date.now() };
}

/** The tools belong into the first message: the SDK would declare missing ones after the history. */
function opening(system: string, tools: readonly AgentTool[]): Message {
  return { role: 'system', content: system, toolsAdded: tools.map(toToolDeclaration), timestamp: 0 };
}

function apiOf(api: string): ReturnType<typeof anthropicMessagesApi> {
  switch (api) {
    case 'anthropic-messages':
      return anthropicMessagesApi();
    case CODEX:
      return openAICodexResponsesApi();
    case 'openai-responses':
      return openAIResponsesApi();
    default:
      return openAICompletionsApi();
  }
}

function headerPolicy(provider: NetworkProvider): HeaderPolicy {
  if (provider.api === CODEX) return accountOf(provider);
  if (provider.baseUrl === null) return 'vendor';
  return provider.apiKey === null ? 'custom-without-key' : 'custom-with-key';
}
