/**
 * Lists of models, in memory (PROTOCOL.md, "Catalogs").
 * Lists that come with the program are always fresh; others are fetched when asked for, and age.
 */
import type { AgentRuntime, ModelInfo } from '../../agent/runtime.ts';
import { type ModelEntry, type ThinkingLevel, thinkingLevel } from '../../wire/catalog.ts';
import { selectionId } from '../../wire/fields.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Provider, type Providers, plainLabel } from './providers.ts';

export type CatalogState = 'fresh_cache' | 'stale' | 'unavailable';

export interface ModelList {
  readonly state: CatalogState;
  readonly models: readonly ModelInfo[];
}

interface Cached {
  /** What the list was fetched from: another server or key means another list. */
  readonly origin: string;
  readonly models: readonly ModelInfo[];
  readonly fetchedAt: number;
}

const FRESH_MS = 3_600_000;
/** For a list that somebody asked for explicitly. */
const REFRESH_MS = 20_000;
/** For a list that would be good to have. */
const LOOK_MS = 3_000;
/** After a failure no list is looked for by itself. */
const RETRY_MS = 10_000;
const EMPTY: ModelList = { state: 'unavailable', models: [] };
/** IDs must not look like keys. */
const KEY_LIKE = /^(sk|pk|rk)-/;

export class Catalog {
  readonly #runtime: AgentRuntime;
  readonly #providers: Providers;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #cache = new Map<string, Cached>();
  readonly #failedAt = new Map<string, number>();

  constructor(runtime: AgentRuntime, providers: Providers, clock: Clock, log: Log) {
    this.#runtime = runtime;
    this.#providers = providers;
    this.#clock = clock;
    this.#log = log;
  }

  /** What is known without leaving this machine. */
  async list(provider: Provider): Promise<ModelList> {
    if (provider.spec === null) return EMPTY;
    const known = this.#known(provider);
    if (known.state === 'fresh_cache' || provider.models === 'endpoint') return known;
    if (await this.#look(provider)) return this.#known(provider);
    const models = usable(this.#providers.discovered(provider.id));
    return models.length === 0 ? known : { state: 'fresh_cache', models };
  }

  /** For a turn, which is better off when it knows its model: a list that is missing is looked for. */
  async listForTurn(provider: Provider): Promise<ModelList> {
    const list = await this.list(provider);
    if (list.state !== 'unavailable' || !(await this.#look(provider))) return list;
    return this.#known(provider);
  }

  async #look(provider: Provider): Promise<boolean> {
    const failedAt = this.#failedAt.get(provider.id);
    if (failedAt !== undefined && this.#clock.elapsed() - failedAt < RETRY_MS) return false;
    return this.#fetch(provider, LOOK_MS);
  }

  /** Fetches the list. False when the provider could not be reached; what was known stays known. */
  async refresh(provider: Provider): Promise<boolean> {
    if (provider.models === 'discovery') await this.#providers.probe(0);
    return this.#fetch(provider, REFRESH_MS);
  }

  #known(provider: Provider): ModelList {
    const cached = this.#cache.get(provider.id);
    if (cached === undefined || cached.origin !== originOf(provider) || cached.models.length === 0)
      return EMPTY;
    const isOld = provider.models !== 'built-in' && this.#clock.elapsed() - cached.fetchedAt > FRESH_MS;
    return { state: isOld ? 'stale' : 'fresh_cache', models: cached.models };
  }

  async #fetch(provider: Provider, timeoutMs: number): Promise<boolean> {
    const { spec } = provider;
    if (spec === null) {
      this.#log.warn('this provider cannot be used for turns yet', { provider: provider.id });
      return false;
    }
    try {
      const models = await this.#runtime.listModels(spec, AbortSignal.timeout(timeoutMs));
      const cached = { origin: originOf(provider), models: usable(models), fetchedAt: this.#clock.elapsed() };
      const leftOut = models.length - cached.models.length;
      if (leftOut > 0)
        this.#log.warn('models without an ID of their own that can be used are left out', {
          provider: provider.id,
          leftOut,
        });
      this.#cache.set(provider.id, cached);
      this.#failedAt.delete(provider.id);
      return true;
    } catch (error) {
      this.#log.warn('models could not be fetched', { provider: provider.id, reason: String(error) });
      this.#failedAt.set(provider.id, this.#clock.elapsed());
      return false;
    }
  }
}

function originOf({ spec }: Provider): string {
  return spec === null || spec.api === 'demo' ? 'none' : `${spec.api} ${spec.baseUrl ?? ''}`;
}

function usable(models: readonly ModelInfo[]): ModelInfo[] {
  const byId = new Map<string, ModelInfo>();
  for (const model of models)
    if (selectionId.safeParse(model.id).success && !KEY_LIKE.test(model.id) && !byId.has(model.id))
      byId.set(model.id, model);
  return [...byId.values()];
}

/** Levels that the wire knows; `default` is always one of them. */
export function levelsOf(model: ModelInfo | null): ThinkingLevel[] {
  const known = (model?.thinkingLevels ?? []).filter(isLevel);
  return [...new Set<ThinkingLevel>(['default', ...known])];
}

export function isLevel(value: string): value is ThinkingLevel {
  return thinkingLevel.safeParse(value).success;
}

export function entryOf(provider: Provider, model: ModelInfo, state: CatalogState): ModelEntry {
  return {
    provider_id: provider.id,
    model_id: model.id,
    label: plainLabel(model.label, model.id),
    available: state === 'fresh_cache',
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    available_thinking_levels: levelsOf(model),
  };
}
