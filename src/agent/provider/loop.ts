import { type AgentTool, runAgentLoop } from '@earendil-works/pi-agent-core';
import { type Api, type Message, type Model, toToolDeclaration } from '@earendil-works/pi-ai';
import { anthropicMessagesApi } from '@earendil-works/pi-ai/api/anthropic-messages.lazy';
import { openAICodexResponsesApi } from '@earendil-works/pi-ai/api/openai-codex-responses.lazy';
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy';
import { openAIResponsesApi } from '@earendil-works/pi-ai/api/openai-responses.lazy';
import { TurnFailure } from '../failure.ts';
import type { AgentTiming } from '../options.ts';
import type { HistoryItem } from '../runtime.ts';
import type { Tool, ToolSetting } from '../tools/tool.ts';
import type { TurnIo } from '../turn.ts';
import { createTurnReporter } from '../turn-reporter.ts';
import type { NetworkProvider } from './catalogue.ts';
import { type CodexAccount, standInToken } from './codex.ts';
import type { HeaderPolicy } from './guarded-fetch.ts';
import { historyMessages } from './history.ts';
import { createReport } from './report.ts';
import { createResilientStream } from './resilient-stream.ts';
import { sdkTools } from './sdk-tools.ts';
import { sdkThinkingLevel } from './thinking.ts';

/** The model that all agents of a turn ask. */
export interface ModelAccess {
  readonly provider: NetworkProvider;
  readonly model: Model<Api>;
  readonly thinkingLevel: string;
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
  readonly prompt: string;
  /** More model requests are taken for a loop and stopped. */
  readonly maxRequests: number;
}

/** Runs one agent to its end. Rejects with a `TurnFailure` when the model could not be used. */
export async function runLoop(agent: Agent, io: TurnIo): Promise<void> {
  const { access, maxRequests } = agent;
  const { model } = access;
  const { signal, steers } = io;
  const window = model.contextWindow > 0 ? model.contextWindow : null;
  const reporter = createTurnReporter(io, agent.setting, window);
  const tools = sdkTools(agent.tools, reporter);
  const reasoning = sdkThinkingLevel(model, access.thinkingLevel);
  let notice = '';
  let isRefused = false;
  let isEndless = false;
  const stream = createResilientStream(apiOf(model.api), {
    timing: access.timing,
    headers: headerPolicy(access.provider),
    log: access.log,
    onFailure: (words, trouble) => {
      isRefused = model.api === CODEX && trouble?.kind === 'status' && trouble.status === 401;
      notice = isRefused ? SIGN_IN_AGAIN : words;
    },
  });
  await runAgentLoop(
    [userMessage(agent.prompt)],
    { messages: [opening(agent.system, tools), ...historyMessages(agent.history, model)], tools },
    {
      model,
      // The adapters insist on a key; the guarded fetch drops this one again.
      apiKey: keyFor(access.provider),
      ...(reasoning === undefined ? {} : { reasoning }),
      toolExecution: 'parallel',
      convertToLlm: (messages) => messages.filter((message) => 'role' in message),
      getSteeringMessages: async () => steers.take().map(userMessage),
      getFollowUpMessages: async () => steers.takeOrClose().map(userMessage),
      finishTurn: ({ toolResults }) => {
        isEndless = toolResults.length > 0 && reporter.requests >= maxRequests;
        return isEndless ? { action: 'end' } : undefined;
      },
    },
    createReport(reporter, agent.tools),
    signal,
    (...args) => {
      if (!signal.aborted) reporter.requestStarted();
      return stream(...args);
    },
  );
  if (isEndless) {
    const words = `Stopped after ${maxRequests} model requests in one turn.`;
    throw new TurnFailure(words, `${words} Say how to go on in a new message.`);
  }
  if (reporter.failure !== null) throw new TurnFailure(reporter.failure, notice, isRefused);
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

function userMessage(content: string): Message {
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
