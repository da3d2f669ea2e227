/**
 * Where Codex turns go (PROTOCOL.md, "Authentication"): to the vendor, unless the environment of the service process
 * names a server on this machine, as tests do.
 */
import { isLoopback } from './oauth-settings.ts';

export type CodexAddress =
  /** `baseUrl` null means the vendor's own address. */
  { readonly ok: true; readonly baseUrl: string | null } | { readonly ok: false };

export function codexAddress(env: NodeJS.ProcessEnv): CodexAddress {
  const named = env.MAGI_TERM_CODEX_BASE_URL ?? '';
  if (named === '') return { ok: true, baseUrl: null };
  const url = URL.parse(named);
  if (url === null || !isLoopback(url.hostname) || !/^https?:$/u.test(url.protocol)) return { ok: false };
  return { ok: true, baseUrl: named };
}
