import * as z from 'zod';
import { fetchJson, type JsonRequest } from './http-json.ts';

/** One entry of a server's list of models. */
export interface ListedModel {
  /** As the server sent it, of any length and with any letters; empty for an entry without one. */
  readonly id: string;
  /** Tokens, null when the server does not say. */
  readonly contextWindow: number | null;
  /** False also when the server does not say. */
  readonly images: boolean;
}

/** More are left out. */
const MAX_MODELS = 2000;
/** A list of a few thousand models with descriptions, as gateways send it. */
const MAX_BYTES = 8 * 1024 * 1024;

const tokens = z.int().positive().optional().catch(undefined);
const entry = z.object({
  id: z.string().catch(''),
  // Servers disagree on the name of the context window: gateways, vLLM, LM Studio, llama.cpp.
  context_length: tokens,
  max_model_len: tokens,
  max_context_length: tokens,
  meta: z.object({ n_ctx: tokens, n_ctx_train: tokens }).optional().catch(undefined),
  // What goes in: OpenRouter and gateways like it.
  architecture: z
    .object({ input_modalities: z.array(z.string()) })
    .optional()
    .catch(undefined),
});
const list = z.object({ data: z.array(z.unknown()) });

/**
 * GETs `{baseUrl}/models` in the OpenAI shape. One odd entry does not cost the others: whoever uses the list leaves it
 * out. Rejects when unreachable, or when what comes back is no list or names no model in its entries.
 */
export async function fetchModelList(
  baseUrl: string,
  request: Omit<JsonRequest, 'maxBytes'>,
): Promise<readonly ListedModel[]> {
  const url = `${baseUrl.replace(/\/+$/u, '')}/models`;
  const parsed = list.safeParse(await fetchJson(url, { ...request, maxBytes: MAX_BYTES }));
  if (!parsed.success) throw new Error('the answer is not a list of models');
  const models = parsed.data.data.slice(0, MAX_MODELS).map((one) => entry.catch({ id: '' }).parse(one));
  if (models.length > 0 && models.every(({ id }) => id === ''))
    throw new Error('the answer is not a list of models');
  return models.map((model) => ({
    id: model.id,
    contextWindow:
      model.context_length ??
      model.max_model_len ??
      model.max_context_length ??
      model.meta?.n_ctx ??
      model.meta?.n_ctx_train ??
      null,
    images: model.architecture?.input_modalities.includes('image') === true,
  }));
}
