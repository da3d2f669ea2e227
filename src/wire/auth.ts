/** `auth.status` (PROTOCOL.md, "Authentication"). */
import * as z from 'zod';
import { selectionId } from './fields.ts';
import { LIMITS } from './limits.ts';

export const providerAuth = z
  .object({
    provider_id: selectionId,
    auth_method: z.enum(['oauth', 'api_key', 'none']),
    source: z.enum(['shared_store', 'environment', 'none']),
    readiness: z.enum(['ready', 'missing', 'needs_login']),
    ready: z.boolean(),
  })
  .refine((value) => value.ready === (value.readiness === 'ready'), 'ready must match readiness');
export type ProviderAuth = z.infer<typeof providerAuth>;

export const authStatusResult = z.object({ providers: z.array(providerAuth).max(LIMITS.max_array_items) });
