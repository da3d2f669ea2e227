import type { Api, Model } from '@earendil-works/pi-ai';
import { ANTHROPIC_MODELS } from '@earendil-works/pi-ai/providers/anthropic.models';
import { OPENAI_MODELS } from '@earendil-works/pi-ai/providers/openai.models';
import { OPENAI_CODEX_MODELS } from '@earendil-works/pi-ai/providers/openai-codex.models';
import type { ProviderSpec } from '../runtime.ts';

/** A provider behind a network address. */
export type NetworkProvider = Exclude<ProviderSpec, { api: 'demo' }>;

/** What is known about a model of a server that is not the vendor's. */
export interface ServerModel {
  /** Tokens, null when unknown. */
  readonly contextWindow: number | null;
  /** The server says that it can see. */
  readonly images?: true;
}

const ANTHROPIC: readonly Model<Api>[] = Object.values(ANTHROPIC_MODELS);
/** Levels of thinking go with the request, so that `default` can mean that nothing is said about them. */
const CODEX: readonly Model<Api>[] = Object.values(OPENAI_CODEX_MODELS).map((model: Model<Api>) => ({
  ...model,
  compat: { ...model.compat, supportsMidConvoEffort: false },
}));
const OPENAI: readonly Model<Api>[] = Object.values(OPENAI_MODELS);

/** Built-in models of the vendor whose API the provider speaks. */
export function builtInModels(provider: NetworkProvider): readonly Model<Api>[] {
  switch (provider.api) {
    case 'anthropic-messages':
      return ANTHROPIC;
    case 'openai-codex-responses':
      return CODEX;
    case 'openai-completions':
      return OPENAI;
  }
}

/** Everything that the SDK must know to ask one model. Unknown limits and prices are 0. */
export function sdkModel(
  provider: NetworkProvider,
  modelId: string,
  known: ServerModel | undefined,
): Model<Api> {
  const builtIn = builtInModels(provider).find((model) => model.id === modelId);
  if (provider.api === 'openai-codex-responses') return codexModel(provider.baseUrl, modelId, builtIn);
  if (provider.baseUrl === null) return vendorModel(provider, modelId, builtIn);
  return provider.api === 'anthropic-messages'
    ? anthropicServerModel(provider.id, provider.baseUrl, modelId, builtIn)
    : openAiServerModel(provider.id, provider.baseUrl, modelId, { known, builtIn });
}

/** The vendor's own model, on the API that the vendor offers it with (OpenAI: Responses). */
function vendorModel(
  provider: NetworkProvider,
  modelId: string,
  builtIn: Model<Api> | undefined,
): Model<Api> {
  if (builtIn !== undefined) return withoutFallbacks(builtIn);
  const isAnthropic = provider.api === 'anthropic-messages';
  return {
    ...blankModel(modelId),
    api: isAnthropic ? 'anthropic-messages' : 'openai-responses',
    provider: isAnthropic ? 'anthropic' : 'openai',
    baseUrl: isAnthropic ? 'https://api.anthropic.com' : 'https://api.openai.com/v1',
    maxTokens: 8192,
  };
}

function codexModel(baseUrl: string | null, modelId: string, builtIn: Model<Api> | undefined): Model<Api> {
  const model = builtIn ?? {
    ...blankModel(modelId),
    api: 'openai-codex-responses',
    provider: 'openai-codex',
    baseUrl: 'https://chatgpt.com/backend-api',
  };
  return { ...model, baseUrl: baseUrl ?? model.baseUrl };
}

/** The vendor may answer with another model than the one that was chosen: never ask for that. */
function withoutFallbacks(model: Model<Api>): Model<Api> {
  const { compat } = model;
  if (compat === undefined || !('allowedFallbackModels' in compat)) return model;
  return { ...model, compat: { ...compat, allowedFallbackModels: [] } };
}

/** Only long-standing features: a gateway may not know the vendor's newest ones. */
function anthropicServerModel(
  providerId: string,
  baseUrl: string,
  modelId: string,
  builtIn: Model<Api> | undefined,
): Model<'anthropic-messages'> {
  const compat = builtIn?.compat;
  const isAdaptive =
    compat !== undefined && 'forceAdaptiveThinking' in compat && compat.forceAdaptiveThinking === true;
  return {
    ...blankModel(modelId),
    name: builtIn?.name ?? modelId,
    api: 'anthropic-messages',
    provider: providerId,
    baseUrl,
    reasoning: builtIn?.reasoning ?? false,
    input: builtIn?.input ?? ['text'],
    ...(builtIn?.thinkingLevelMap === undefined ? {} : { thinkingLevelMap: builtIn.thinkingLevelMap }),
    contextWindow: builtIn?.contextWindow ?? 0,
    maxTokens: builtIn?.maxTokens ?? 8192,
    compat: { forceAdaptiveThinking: isAdaptive },
  };
}

function openAiServerModel(
  providerId: string,
  baseUrl: string,
  modelId: string,
  { builtIn, known }: { known: ServerModel | undefined; builtIn: Model<Api> | undefined },
): Model<'openai-completions'> {
  return {
    ...blankModel(modelId),
    input: known?.images === true ? ['text', 'image'] : (builtIn?.input ?? ['text']),
    api: 'openai-completions',
    provider: providerId,
    baseUrl,
    contextWindow: known?.contextWindow ?? 0,
    compat: { supportsStore: false, supportsDeveloperRole: false, supportsStrictMode: false },
  };
}

function blankModel(
  modelId: string,
): Pick<Model<Api>, 'id' | 'name' | 'reasoning' | 'input' | 'cost' | 'contextWindow' | 'maxTokens'> {
  return {
    id: modelId,
    name: modelId,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 0,
    maxTokens: 0,
  };
}
