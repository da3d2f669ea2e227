/**
 * Providers that are known without a service (PROTOCOL.md, "Authentication"): as the embedded one lists them from its
 * code and from the settings, and the servers of this machine by their names, whether they run or not.
 */
import { createAgentRuntime } from '../agent/create-runtime.ts';
import { discoveredServerIds } from '../agent/discover.ts';
import { hasFastMode } from '../agent/fast-mode.ts';
import { readSettings, type Settings } from '../platform/settings.ts';
import { settingsFailure } from '../platform/settings-failure.ts';
import { AuthStore } from '../service/auth/auth-store.ts';
import { systemClock } from '../service/clock.ts';
import { type Provider, Providers } from '../service/config/providers.ts';
import type { Place } from './flags.ts';
import type { NamedProvider } from './provider-names.ts';

export interface KnownProvider extends NamedProvider {
  /** Whether it answers sooner for more money. */
  readonly hasFastMode: boolean;
  /** A key of this environment counts before a saved one. */
  readonly hasKeyOutside: boolean;
  /** IDs of the models that come with the program; empty where a server lists its own. */
  builtInModels(): Promise<readonly string[]>;
}

/** @throws Error when the settings cannot be used */
export function knownProviders({ settingsFile, stateRoot }: Place): readonly KnownProvider[] {
  const read = readSettings(settingsFile);
  if (!read.ok) throw new Error(settingsFailure(read.error));
  const store = new AuthStore(stateRoot);
  const listed = new Providers(process.env, async () => [], systemClock, store).list(read.settings);
  const known = listed.map((provider) => ({
    id: provider.id,
    takes: takesOf(provider, read.settings),
    hasKeyOutside: provider.auth.ready && provider.auth.source === 'environment',
    hasFastMode: provider.spec !== null && hasFastMode(provider.spec),
    builtInModels: () => modelsOf(provider),
  }));
  const isFree = (id: string): boolean => known.every((provider) => provider.id !== id);
  const servers = discoveredServerIds()
    .filter(isFree)
    .map((id) => ({
      id,
      takes: 'nothing' as const,
      hasFastMode: false,
      hasKeyOutside: false,
      builtInModels: async () => [],
    }));
  return [...known, ...servers];
}

async function modelsOf({ models, spec }: Provider): Promise<readonly string[]> {
  if (spec === null || models !== 'built-in') return [];
  const listed = await createAgentRuntime().listModels(spec, new AbortController().signal);
  return listed.map(({ id }) => id);
}

/** A vendor takes a key also where the environment names another address, which needs none. */
function takesOf({ auth, id, spec }: Provider, settings: Settings): NamedProvider['takes'] {
  if (auth.auth_method === 'oauth') return 'sign-in';
  const custom = settings.providers?.[id];
  if (custom !== undefined) return custom.apiKeyEnv === undefined ? 'optional-key' : 'key';
  return spec?.api === 'demo' ? 'nothing' : 'key';
}
