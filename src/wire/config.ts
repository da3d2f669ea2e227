/** `config.get` and `config.set` (PROTOCOL.md, "Configuration"). */
import * as z from 'zod';
import { thinkingLevel } from './catalog.ts';
import { selectionId } from './fields.ts';
import { LIMITS } from './limits.ts';

export const selection = z.object({ provider_id: selectionId, model_id: selectionId });
export type Selection = z.infer<typeof selection>;

const layerName = z.enum(['environment', 'project', 'global']);
/** What one layer says; null where it says nothing. */
const savedLayer = z.object({
  provider_id: selectionId.nullable(),
  model_id: selectionId.nullable(),
  thinking_level: thinkingLevel.nullable(),
});
export type SavedLayer = z.infer<typeof savedLayer>;
/** Session profile: where the settings come from. */
const layers = z.object({
  /** The highest layer that names a provider or a model, and a level; null where none does. */
  deciding: z.object({ selection: layerName.nullable(), thinking_level: layerName.nullable() }),
  environment: savedLayer,
  project: savedLayer,
  global: savedLayer,
});
/** Session profile: providers whose models answer faster for `fast`. */
const fastProviders = z.array(selectionId).max(LIMITS.max_array_items);
/** Session profile: what tools do unasked whatever the permission mode asks about. */
const unasked = z.array(z.enum(['bash', 'write_outside'])).max(2);

export const configProjection = z.object({
  selection,
  thinking_level: thinkingLevel,
  configured_thinking_level: thinkingLevel,
  available_thinking_levels: z.array(thinkingLevel).max(6),
  fast: z.boolean(),
  precedence: z.array(z.enum(['environment', 'project', 'global'])).max(3),
  writable_scopes: z.array(z.enum(['global', 'project'])).max(2),
  global_only: z.array(z.string()).max(8),
  layers: layers.optional(),
  unasked: unasked.optional(),
  fast_providers: fastProviders.optional(),
});
export type ConfigProjection = z.infer<typeof configProjection>;

export const configSetRequest = z.strictObject({
  scope: z.string(),
  selection: z.strictObject({ provider_id: z.string(), model_id: z.string() }).optional(),
  thinking_level: thinkingLevel.optional(),
  fast: z.boolean().optional(),
  /** Session profile: what this scope no longer says. */
  reset: z
    .array(z.enum(['selection', 'thinking_level']))
    .min(1)
    .max(2)
    .optional(),
});
export const configSetResult = z.object({
  persisted: z.literal(true),
  scope: z.enum(['global', 'project']),
  effective: configProjection,
});
