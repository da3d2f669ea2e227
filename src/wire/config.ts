/** `config.get` and `config.set` (PROTOCOL.md, "Configuration"). */
import * as z from 'zod';
import { thinkingLevel } from './catalog.ts';
import { selectionId } from './fields.ts';

export const selection = z.object({ provider_id: selectionId, model_id: selectionId });
export type Selection = z.infer<typeof selection>;

export const configProjection = z.object({
  selection,
  thinking_level: thinkingLevel,
  configured_thinking_level: thinkingLevel,
  available_thinking_levels: z.array(thinkingLevel).max(6),
  fast: z.boolean(),
  precedence: z.array(z.enum(['environment', 'project', 'global'])).max(3),
  writable_scopes: z.array(z.enum(['global', 'project'])).max(2),
  global_only: z.array(z.string()).max(8),
});
export type ConfigProjection = z.infer<typeof configProjection>;

export const configSetRequest = z.strictObject({
  scope: z.string(),
  selection: z.strictObject({ provider_id: z.string(), model_id: z.string() }).optional(),
  thinking_level: thinkingLevel.optional(),
  fast: z.boolean().optional(),
});
export const configSetResult = z.object({
  persisted: z.literal(true),
  scope: z.enum(['global', 'project']),
  effective: configProjection,
});
