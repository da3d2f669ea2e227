/**
 * Every provider that can be chosen: built in, from the settings, and local servers that were found
 * (PROTOCOL.md, "Authentication", "Catalogs"). Keys are read at every use and never kept: from the environment first,
 * then from the shared store. A stored key of a vendor goes to that vendor's own address only.
 */
import type { ModelInfo, ProviderSpec } from '../../agent/runtime.ts';
import type { Settings } from '../../platform/settings.ts';
import type { ProviderAuth } from '../../wire/auth.ts';
import { selectionId } from '../../wire/fields.ts';
import { LIMITS } from '../../wire/limits.ts';
import type { AuthStore, StoredAuth, StoredAuthRead } from '../auth/auth-store.ts';
import { type CodexAddress, codexAddress } from '../auth/codex-address.ts';
import { CODEX } from '../auth/codex-credentials.ts';
import type { Clock } from '../clock.ts';
import { cutUtf8 } from '../sessions/replay-projection.ts';

/** A model server on this machine that answered. */
export interface LocalServer {
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  /** IDs of the models that it offers. */
  readonly models: readonly string[];
}

export type Discover = (signal: AbortSignal) => Promise<readonly LocalServer[]>;

export interface Provider {
  readonly id: string;
  readonly label: string;
  /** Null when no turn can work with it yet. */
  readonly spec: ProviderSpec | null;
  readonly auth: Omit<ProviderAuth, 'provider_id'>;
  /** Where its list of models comes from. */
  readonly models: 'built-in' | 'endpoint' | 'discovery';
}

const NO_AUTH = { auth_method: 'none', source: 'none', readiness: 'ready', ready: true } as const;
const DISCOVERY_MS = 3_000;
const LABEL_BYTES = 128;

export class Providers {
  readonly #env: NodeJS.ProcessEnv;
  readonly #discover: Discover;
  readonly #clock: Clock;
  readonly #store: AuthStore;
  #found: readonly LocalServer[] = [];
  #probedAt = Number.NEGATIVE_INFINITY;
  #probe: Promise<void> | null = null;

  constructor(env: NodeJS.ProcessEnv, discover: Discover, clock: Clock, store: AuthStore) {
    this.#env = env;
    this.#discover = discover;
    this.#clock = clock;
    this.#store = store;
  }

  /** What the shared store holds now. */
  stored(): StoredAuthRead {
    return this.#store.read();
  }

  /** Sorted by ID; settings win over what is built in, that over what was found. The name of what is signed in to is taken. */
  list(settings: Settings): Provider[] {
    const all = new Map<string, Provider>();
    const read = this.stored();
    const stored = read.ok ? read.auth : null;
    const candidates = [
      ...this.#local(),
      ...this.#builtIn(stored),
      ...this.#custom(settings, stored),
      codex(stored, codexAddress(this.#env)),
    ];
    for (const provider of candidates)
      if (selectionId.safeParse(provider.id).success) all.set(provider.id, provider);
    return [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, LIMITS.max_array_items);
  }

  find(settings: Settings, id: string): Provider | null {
    return this.list(settings).find((provider) => provider.id === id) ?? null;
  }

  /** A local server may have come up since the last look. */
  async findOrProbe(settings: Settings, id: string): Promise<Provider | null> {
    const known = this.find(settings, id);
    if (known !== null) return known;
    await this.probe(0);
    return this.find(settings, id);
  }

  /** Models of a server that was found: no more than their IDs is known. */
  discovered(id: string): ModelInfo[] {
    const models = this.#found.find((server) => server.id === id)?.models ?? [];
    const unknown = { contextWindow: null, maxOutputTokens: null, thinkingLevels: ['default'] };
    return models.map((model) => ({ id: model, label: model, ...unknown }));
  }

  /** Looks for local servers, unless that was done within `maxAgeMs`. Never fails: finding none is an answer. */
  async probe(maxAgeMs: number): Promise<void> {
    if (this.#probe === null && this.#clock.elapsed() - this.#probedAt < maxAgeMs) return;
    this.#probe ??= this.#look().finally(() => {
      this.#probe = null;
    });
    await this.#probe;
  }

  async #look(): Promise<void> {
    try {
      this.#found = await this.#discover(AbortSignal.timeout(DISCOVERY_MS));
    } catch {
      this.#found = [];
    }
    this.#probedAt = this.#clock.elapsed();
  }

  #builtIn(stored: StoredAuth | null): Provider[] {
    const anthropicUrl = this.#variable('ANTHROPIC_BASE_URL');
    const anthropicKey = this.#key('ANTHROPIC_API_KEY', anthropicUrl === null ? stored : null, 'anthropic');
    const openaiUrl = this.#variable('OPENAI_BASE_URL');
    const openaiKey = this.#key('OPENAI_API_KEY', openaiUrl === null ? stored : null, 'openai');
    return [
      {
        id: 'demo',
        label: 'Demo (no model)',
        spec: { api: 'demo', id: 'demo', label: 'Demo (no model)' },
        auth: NO_AUTH,
        models: 'built-in',
      },
      {
        id: 'anthropic',
        label: 'Anthropic',
        spec: {
          api: 'anthropic-messages',
          id: 'anthropic',
          label: 'Anthropic',
          baseUrl: anthropicUrl,
          apiKey: anthropicKey.value,
        },
        auth: keyAuth(anthropicKey),
        models: 'built-in',
      },
      {
        id: 'openai',
        label: 'OpenAI',
        spec: {
          api: 'openai-completions',
          id: 'openai',
          label: 'OpenAI',
          baseUrl: openaiUrl,
          apiKey: openaiKey.value,
        },
        auth: openaiKey.value === null && openaiUrl !== null ? NO_AUTH : keyAuth(openaiKey),
        models: openaiUrl === null ? 'built-in' : 'endpoint',
      },
    ];
  }

  #custom(settings: Settings, stored: StoredAuth | null): Provider[] {
    return Object.entries(settings.providers ?? {}).map(([id, custom]) => {
      const label = plainLabel(custom.label ?? id, id);
      const key = this.#key(custom.apiKeyEnv ?? null, stored, id);
      return {
        id,
        label,
        spec: { api: custom.api, id, label, baseUrl: custom.baseUrl, apiKey: key.value },
        auth: custom.apiKeyEnv === undefined && key.value === null ? NO_AUTH : keyAuth(key),
        models: 'endpoint',
      };
    });
  }

  #local(): Provider[] {
    return this.#found.map(({ baseUrl, id, label }) => ({
      id,
      label: plainLabel(label, id),
      spec: { api: 'openai-completions', id, label, baseUrl, apiKey: null },
      auth: NO_AUTH,
      models: 'discovery',
    }));
  }

  /** @param variable null when the environment is not asked */
  #key(variable: string | null, stored: StoredAuth | null, provider: string): Key {
    const value = variable === null ? null : this.#variable(variable);
    const kept = stored?.apiKey(provider) ?? null;
    return value === null && kept !== null
      ? { value: kept, source: 'shared_store' }
      : { value, source: 'environment' };
  }

  /** Null when unset or empty. */
  #variable(name: string): string | null {
    const value = this.#env[name];
    return value === undefined || value === '' ? null : value;
  }
}

interface Key {
  readonly value: string | null;
  readonly source: 'environment' | 'shared_store';
}

function keyAuth({ source, value }: Key): Provider['auth'] {
  const readiness = value === null ? 'missing' : 'ready';
  return { auth_method: 'api_key', source, readiness, ready: value !== null };
}

/** Signed in to; a credential that can be refreshed is ready. Turns get it when they begin. */
function codex(stored: StoredAuth | null, address: CodexAddress): Provider {
  const record = stored?.oauth(CODEX) ?? null;
  const present = record?.needs_login === true ? 'needs_login' : 'ready';
  const readiness = record === null ? 'missing' : present;
  const label = 'OpenAI Codex (ChatGPT)';
  const named = { id: CODEX, label, credential: 'Sign in to Codex first.' };
  return {
    id: CODEX,
    label,
    spec: address.ok ? { api: 'openai-codex-responses', ...named, baseUrl: address.baseUrl } : null,
    auth: { auth_method: 'oauth', source: 'shared_store', readiness, ready: readiness === 'ready' },
    models: 'built-in',
  };
}

/** One plain line within the wire's bound. */
export function plainLabel(label: string, fallback: string): string {
  const plain = label.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return cutUtf8((plain === '' ? fallback : plain).toWellFormed(), LABEL_BYTES)[0] ?? fallback;
}
