/** What is signed in to gets its credential when a turn begins, refreshed if need be (PROTOCOL.md, "Authentication"). */
import type { ProviderSpec } from '../../agent/runtime.ts';
import type { CodexCredentials } from './codex-credentials.ts';

export interface SignedIn {
  readonly provider: ProviderSpec;
  /** To be told when the provider no longer takes the credential. */
  readonly refused?: () => Promise<void>;
}

const NO_CREDENTIAL = {
  missing: 'Nobody is signed in to Codex. Sign in to Codex, then send the message again.',
  needs_login: 'The sign-in to Codex has ended. Sign in to Codex again, then send the message again.',
  unreachable: 'The sign-in to Codex could not be renewed just now. Check the network, then send again.',
  unusable: 'The store of credentials cannot be read. The log of the service says why.',
} as const;

/** Without a credential the turn begins all the same, and says what is missing. */
export async function signedIn(provider: ProviderSpec, codex: CodexCredentials): Promise<SignedIn> {
  if (provider.api !== 'openai-codex-responses') return { provider };
  const current = await codex.current();
  if (!current.ok) return { provider: { ...provider, credential: NO_CREDENTIAL[current.why] } };
  const { access, accountId } = current;
  return {
    provider: { ...provider, credential: { access, accountId } },
    refused: () => codex.refused(access),
  };
}
