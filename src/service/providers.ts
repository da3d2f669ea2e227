/**
 * Every provider that can be chosen: built in, from the settings, and local servers that were found
 * (PROTOCOL.md, "Authentication", "Catalogs"). Keys are read from the environment at every use and never kept.
 */
import type { ModelInfo, ProviderSpec } from '../agent/runtime.ts';
import type { Settings } from '../platform/settings.ts';
import type { ProviderAuth } from '../wire/auth.ts';
import { selectionId } from '../wire/fields.ts';
import { LIMITS } from '../wire/limits.ts';
import type { Clock } from './clock.ts';
import { cutUtf8 } from './replay-projection.ts';

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
  readonly spec: ProviderSpec;
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
  #found: readonly LocalServer[] = [];
  #probedAt = Number.NEGATIVE_INFINITY;
  #probe: Promise<void> | null = null;

  constructor(env: NodeJS.ProcessEnv, discover: Discover, clock: Clock) {
    this.#env = env;
    this.#discover = discover;
    this.#clock = clock;
  }

  /** Sorted by ID; settings win over what is built in, that over what was found. */
  list(settings: Settings): Provider[] {
    const all = new Map<string, Provider>();
    const candidates = [...this.#local(), ...this.#builtIn(), ...this.#custom(settings)];
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
    if (this.#probe === null && this.#clock.now() - this.#probedAt < maxAgeMs) return;
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
    this.#probedAt = this.#clock.now();
  }

  #builtIn(): Provider[] {
    const anthropicKey = this.#variable('ANTHROPIC_API_KEY');
    const openaiKey = this.#variable('OPENAI_API_KEY');
    const openaiUrl = this.#variable('OPENAI_BASE_URL');
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
          baseUrl: this.#variable('ANTHROPIC_BASE_URL'),
          apiKey: anthropicKey,
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
          apiKey: openaiKey,
        },
        auth: openaiKey === null && openaiUrl !== null ? NO_AUTH : keyAuth(openaiKey),
        models: openaiUrl === null ? 'built-in' : 'endpoint',
      },
    ];
  }

  #custom(settings: Settings): Provider[] {
    return Object.entries(settings.providers ?? {}).map(([id, custom]) => {
      const label = plainLabel(custom.label ?? id, id);
      const apiKey = custom.apiKeyEnv === undefined ? null : this.#variable(custom.apiKeyEnv);
      return {
        id,
        label,
        spec: { api: custom.api, id, label, baseUrl: custom.baseUrl, apiKey },
        auth: custom.apiKeyEnv === undefined ? NO_AUTH : keyAuth(apiKey),
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

  /** Null when unset or empty. */
  #variable(name: string): string | null {
    const value = this.#env[name];
    return value === undefined || value === '' ? null : value;
  }
}

function keyAuth(key: string | null): Provider['auth'] {
  return key === null
    ? { auth_method: 'api_key', source: 'environment', readiness: 'missing', ready: false }
    : { auth_method: 'api_key', source: 'environment', readiness: 'ready', ready: true };
}

/** One plain line within the wire's bound. */
export function plainLabel(label: string, fallback: string): string {
  const plain = label.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return cutUtf8((plain === '' ? fallback : plain).toWellFormed(), LABEL_BYTES)[0] ?? fallback;
}
