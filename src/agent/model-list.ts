import * as z from 'zod';
import { fetchJson, type JsonRequest } from './http-json.ts';

/** One entry of a server's list of models. */
export interface ListedModel {
  readonly id: string;
  /** Tokens, null when the server does not say. */
  readonly contextWindow: number | null;
  /** False also when the server does not say. */
  readonly images: boolean;
}

const MAX_MODELS = 2000;
/** A list of a few thousand models with descriptions, as gateways send it. */
const MAX_BYTES = 8 * 1024 * 1024;

const tokens = z.int().positive().optional().catch(undefined);
const entry = z.object({
  id: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[^\p{Cc}]+$/u),
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
const list = z.object({ data: z.array(entry).max(MAX_MODELS) });

/** GETs `{baseUrl}/models` in the OpenAI shape. Rejects when unreachable or anything else comes back. */
export async function fetchModelList(
  baseUrl: string,
  request: Omit<JsonRequest, 'maxBytes'>,
): Promise<readonly ListedModel[]> {
  const url = `${baseUrl.replace(/\/+$/u, '')}/models`;
  const parsed = list.safeParse(await fetchJson(url, { ...request, maxBytes: MAX_BYTES }));
  if (!parsed.success) throw new Error('the answer is not a list of models');
  return parsed.data.data.map((model) => ({
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
