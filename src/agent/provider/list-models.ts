import { HttpStatusError } from '../http-json.ts';
import { fetchModelList } from '../model-list.ts';
import type { ModelInfo } from '../runtime.ts';
import { messageOf } from '../turn.ts';
import { builtInModels, type NetworkProvider } from './catalogue.ts';
import { networkCode } from './guarded-fetch.ts';
import { thinkingLevelsOf } from './thinking.ts';
import { hostOf, networkReason } from './trouble.ts';

const TIMEOUT_MS = 10_000;

/** Models of a network provider: built-in data for the vendors, the server's own list for OpenAI-compatible servers. */
export async function listProviderModels(
  provider: NetworkProvider,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  signal.throwIfAborted();
  if (provider.baseUrl === null || provider.api !== 'openai-completions') {
    return builtInModels(provider).map((model) => ({
      id: model.id,
      label: model.name,
      contextWindow: model.contextWindow,
      maxOutputTokens: model.maxTokens,
      thinkingLevels: thinkingLevelsOf(model),
    }));
  }
  const models = await fetchServerList(provider.baseUrl, provider.apiKey, signal);
  return models.map((model) => ({
    id: model.id,
    label: model.id,
    contextWindow: model.contextWindow,
    maxOutputTokens: null,
    thinkingLevels: ['default'],
    ...(model.images ? { images: true as const } : {}),
  }));
}

async function fetchServerList(baseUrl: string, apiKey: string | null, signal: AbortSignal) {
  try {
    const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    return await fetchModelList(baseUrl, { headers, signal, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`Cannot list the models of ${hostOf(baseUrl)}: ${reasonOf(error)}.`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof HttpStatusError) return `the server answered with ${messageOf(error)}`;
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof TypeError) return networkReason(networkCode(error));
  return error instanceof SyntaxError ? 'the answer is not JSON' : messageOf(error);
}
