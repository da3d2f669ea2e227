/** Whose models answer faster for more money: what the vendors call priority processing. */
import type { ProviderSpec } from './runtime.ts';

/** Only OpenAI's own address and Codex take it; others might refuse the request. */
export function hasFastMode(provider: ProviderSpec): boolean {
  if (provider.api === 'openai-codex-responses') return true;
  return provider.api === 'openai-completions' && provider.baseUrl === null;
}
