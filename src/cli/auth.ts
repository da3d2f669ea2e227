/** `auth status` and `logout` (PROTOCOL.md, "Authentication"). */

import type { Connection } from '../client/connection.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import { LOGOUT_LIMITS, providerWords } from '../store/sign-in-words.ts';
import { connected } from './connected.ts';
import { EXIT, type GlobalFlags } from './flags.ts';
import { CODEX, isCodexName } from './provider-names.ts';

/** Prints who is signed in: a line each, or one JSON array. Returns the exit code: 4 when nobody can answer. */
export function authStatus(flags: GlobalFlags, format: 'text' | 'json'): Promise<number> {
  return connected(flags, async (connection) => {
    const { providers } = await connection.request('auth.status', {});
    if (format === 'json') process.stdout.write(`${JSON.stringify(providers)}\n`);
    else {
      const width = Math.max(0, ...providers.map(({ provider_id: id }) => id.length));
      for (const provider of providers)
        process.stdout.write(
          `${sanitiseLine(provider.provider_id).padEnd(width)}  ${providerWords(provider)}\n`,
        );
    }
    return providers.some(({ ready }) => ready) ? EXIT.ok : EXIT.signedOut;
  });
}

/** Removes what is stored of a provider. Returns the exit code. */
export function logout(flags: GlobalFlags, asked: string): Promise<number> {
  return connected(flags, async (connection) => {
    const providerId = await signedInAs(connection, asked);
    const payload = { provider_id: providerId, confirmed: true };
    const { removed } = await connection.request('auth.logout', payload);
    const id = sanitiseLine(providerId);
    process.stdout.write(removed ? `Signed out of ${id}.\n` : `Nothing was stored for ${id}.\n`);
    process.stderr.write(`${LOGOUT_LIMITS}\n`);
    return EXIT.ok;
  });
}

/** What is stored of a provider that is gone can be removed too: only the other names need one that exists. */
async function signedInAs(connection: Connection, asked: string): Promise<string> {
  if (!isCodexName(asked)) return asked;
  const { providers } = await connection.request('auth.status', {});
  return providers.some(({ provider_id: id }) => id === asked) ? asked : CODEX;
}
