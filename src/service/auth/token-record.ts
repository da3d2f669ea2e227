/** From the issuer's tokens to the record of the store (PROTOCOL.md, "Authentication"). */
import * as oauth from 'oauth4webapi';
import * as z from 'zod';
import type { OAuthRecord } from './auth-file.ts';

const accountClaim = z.object({
  'https://api.openai.com/auth': z.object({ chatgpt_account_id: z.string().min(1) }),
});
const expiryClaim = z.object({ exp: z.number() });

/** When the issuer says nothing about the life of a token. */
const DEFAULT_LIFE_MS = 3_600_000;

/**
 * Null when something is missing that the record needs. A new sign-in inherits nothing; a refresh may keep the refresh
 * token and the account of `before`.
 */
export function recordOf(
  tokens: oauth.TokenEndpointResponse,
  now: number,
  before: OAuthRecord | null,
): OAuthRecord | null {
  const { access_token: access, expires_in, refresh_token } = tokens;
  const refresh = refresh_token ?? before?.refresh;
  const accountId = accountOf(tokens) ?? before?.account_id;
  if (refresh === undefined || accountId === undefined) return null;
  const expires =
    expires_in === undefined ? (expiryOf(access) ?? now + DEFAULT_LIFE_MS) : now + expires_in * 1_000;
  return { ...before, type: 'oauth', access, refresh, expires, account_id: accountId, needs_login: false };
}

/** The ID token is checked; the access token comes from the same answer and is only read. */
function accountOf(tokens: oauth.TokenEndpointResponse): string | null {
  for (const claims of [oauth.getValidatedIdTokenClaims(tokens), payloadOf(tokens.access_token)]) {
    const parsed = accountClaim.safeParse(claims);
    if (parsed.success) return parsed.data['https://api.openai.com/auth'].chatgpt_account_id;
  }
  return null;
}

function expiryOf(token: string): number | null {
  const parsed = expiryClaim.safeParse(payloadOf(token));
  return parsed.success ? parsed.data.exp * 1_000 : null;
}

/** Undefined when the token is no JWT. */
function payloadOf(token: string): unknown {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
