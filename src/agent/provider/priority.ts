/** Fast mode: what the vendors call priority processing. */
import type { NetworkProvider } from './catalogue.ts';

/** Members of a request that ask for it. Only OpenAI's own addresses and Codex take them; others might refuse the request. */
export function priority(
  { api, baseUrl }: NetworkProvider,
  sdkApi: string,
): Readonly<Record<string, string>> {
  const isVendor = sdkApi === 'openai-responses' && baseUrl === null;
  return isVendor || api === 'openai-codex-responses' ? { service_tier: 'priority' } : {};
}
