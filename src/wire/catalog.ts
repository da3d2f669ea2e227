/** `catalog.*` (PROTOCOL.md, "Catalogs"). */
import * as z from 'zod';
import { anyCount, boundedString, count, selectionId } from './fields.ts';
import { LIMITS } from './limits.ts';

export const thinkingLevel = z.enum(['default', 'low', 'medium', 'high', 'x_high', 'max']);
export type ThinkingLevel = z.infer<typeof thinkingLevel>;

const page = {
  offset: anyCount.optional(),
  limit: anyCount.optional(),
};
export const providersRequest = z.strictObject(page);
export const modelsRequest = z.strictObject({ provider_id: z.string(), ...page });
export const refreshRequest = z.strictObject({ provider_id: z.string() });

const label = boundedString(128);
export const catalogState = z.enum(['fresh_cache', 'stale', 'unavailable']);

export const providersResult = z.object({
  entries: z.array(z.object({ provider_id: selectionId, label })).max(LIMITS.max_catalog_page_items),
  next_offset: count.nullable(),
  refresh: z.literal('cache_only'),
});

export const modelEntry = z.object({
  provider_id: selectionId,
  model_id: selectionId,
  label,
  available: z.boolean(),
  context_window: count.nullable(),
  max_output_tokens: count.nullable(),
  available_thinking_levels: z.array(thinkingLevel).max(6),
});
export type ModelEntry = z.infer<typeof modelEntry>;

export const modelsResult = z.object({
  entries: z.array(modelEntry).max(LIMITS.max_catalog_page_items),
  next_offset: count.nullable(),
  state: catalogState,
  refresh: z.literal('cache_only'),
});
export const refreshResult = z.object({ provider_id: selectionId, state: catalogState });
