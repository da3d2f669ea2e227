/** `auth.*` operations and sign-in events (PROTOCOL.md, "Authentication"). Sign-in content is transient: never logged or stored. */
import * as z from 'zod';
import { boundedString, id, selectionId } from './fields.ts';
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

/** Bytes of a pasted redirect URL or code. */
const MAX_CALLBACK_BYTES = 4_096;

export const loginStartRequest = z.strictObject({ provider_id: z.string() });
export const loginStartResult = z.object({
  login_id: id,
  provider_id: selectionId,
  status: z.literal('started'),
});
export const loginCallbackRequest = z.strictObject({
  login_id: id,
  input: boundedString(MAX_CALLBACK_BYTES).refine((text) => text.length > 0, 'empty'),
});
export const loginCallbackResult = z.object({ login_id: id, status: z.literal('submitted') });
export const loginCancelRequest = z.strictObject({ login_id: id });
export const loginCancelResult = z.object({ login_id: id, status: z.literal('cancellation_requested') });

/** Without a confirmation the service asks for one: the member may be missing. */
export const logoutRequest = z.strictObject({ provider_id: z.string(), confirmed: z.boolean().optional() });
export const logoutResult = z.object({
  provider_id: selectionId,
  status: z.literal('logged_out'),
  removed: z.boolean(),
  environment_unchanged: z.literal(true),
});

const login = { login_id: id, provider_id: selectionId };
/** Only the first event of a sign-in carries a URL. */
const noUrl = { url: z.undefined().optional() };

export const loginProgress = z.discriminatedUnion('state', [
  z.object({
    ...login,
    state: z.literal('authorization_url'),
    url: boundedString(LIMITS.max_string_bytes),
    open_browser: z.literal(true),
  }),
  z.object({
    ...login,
    ...noUrl,
    state: z.enum(['waiting', 'callback_received', 'callback_accepted']),
    /** Fixed words for people about a way that is closed. */
    notice: boundedString(LIMITS.max_error_message_bytes).optional(),
  }),
]);

export type LoginProgress = z.infer<typeof loginProgress>;

export const loginTerminal = z.object({
  ...login,
  ...noUrl,
  state: z.enum([
    'exchange_succeeded',
    'cancelled',
    'callback_timeout',
    'callback_failed',
    'exchange_failed',
    'auth_changed',
    'storage_failed',
    'internal_error',
  ]),
  cleanup_complete: z.literal(true),
});
export type LoginTerminal = z.infer<typeof loginTerminal>;
