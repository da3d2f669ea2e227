/** `auth.status`, `catalog.*`, `config.*` (PROTOCOL.md, "Authentication", "Catalogs", "Configuration"). */
import { modelsRequest, providersRequest, refreshRequest } from '../../wire/catalog.ts';
import { empty } from '../../wire/fields.ts';
import { LIMITS } from '../../wire/limits.ts';
import {
  answer,
  type Call,
  done,
  fail,
  type MutationCall,
  type Reply,
  refuse,
} from '../coordinator/reply.ts';
import { type Catalog, entryOf } from './catalog.ts';
import type { Configuration } from './configuration.ts';
import type { Providers } from './providers.ts';

/** A list of local servers that is older is looked up again. */
const PROBE_AGE_MS = 10_000;
const MAX_OFFSET = 100_000;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

export class SettingsOperations {
  readonly #configuration: Configuration;
  readonly #providers: Providers;
  readonly #catalog: Catalog;

  constructor(configuration: Configuration, providers: Providers, catalog: Catalog) {
    this.#configuration = configuration;
    this.#providers = providers;
    this.#catalog = catalog;
  }

  authStatus({ request }: Call): Reply {
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    const providers = this.#configuration.authStatus();
    return providers === null ? refuse('internal_error') : answer({ providers });
  }

  async listProviders({ request }: Call): Promise<Reply> {
    const parsed = providersRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const page = pageOf(parsed.data);
    if (page === null) return refuse('limit_exceeded');
    await this.#providers.probe(PROBE_AGE_MS);
    const settings = this.#configuration.read();
    if (settings === null) return refuse('configuration_unavailable');
    const all = this.#providers.list(settings).map(({ id, label }) => ({ provider_id: id, label }));
    return answer({ ...cut(all, page), refresh: 'cache_only' });
  }

  async listModels({ request }: Call): Promise<Reply> {
    const parsed = modelsRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const page = pageOf(parsed.data);
    if (page === null) return refuse('limit_exceeded');
    const settings = this.#configuration.read();
    if (settings === null) return refuse('configuration_unavailable');
    const provider = this.#providers.find(settings, parsed.data.provider_id);
    if (provider === null) return refuse('invalid_selection');
    const { models, state } = await this.#catalog.list(provider);
    const entries = models.map((model) => entryOf(provider, model, state));
    return answer({ ...cut(entries, page), state, refresh: 'cache_only' });
  }

  async refresh({ operation, request }: MutationCall): Promise<Reply> {
    operation.accept(null);
    const parsed = refreshRequest.safeParse(request.payload);
    if (!parsed.success) return fail('invalid_payload');
    const settings = this.#configuration.read();
    if (settings === null) return fail('configuration_unavailable');
    const { provider_id } = parsed.data;
    const provider = await this.#providers.findOrProbe(settings, provider_id);
    if (provider === null) return fail('invalid_selection');
    if (!(await this.#catalog.refresh(provider))) return fail('catalog_refresh_failed');
    const { state } = await this.#catalog.list(provider);
    return done({ provider_id, state });
  }

  async get({ connection, request }: Call): Promise<Reply> {
    if (!empty.safeParse(request.payload).success) return refuse('invalid_payload');
    const settings = this.#configuration.read();
    if (settings === null) return refuse('configuration_unavailable');
    const configuration = this.#configuration;
    return answer(
      await (connection.profile ? configuration.projectWhole(settings) : configuration.project(settings)),
    );
  }

  async set({ connection, operation, request }: MutationCall): Promise<Reply> {
    operation.accept(null);
    const view = connection.profile ? 'whole' : 'ordinary';
    const outcome = await this.#configuration.set(request.payload, view);
    return outcome.ok ? done(outcome.value) : fail(outcome.code);
  }
}

function pageOf(request: { offset?: number | undefined; limit?: number | undefined }): Page | null {
  const { limit = LIMITS.max_catalog_page_items, offset = 0 } = request;
  const fits = offset <= MAX_OFFSET && limit >= 1 && limit <= LIMITS.max_catalog_page_items;
  return fits ? { offset, limit } : null;
}

function cut<T>(all: readonly T[], { limit, offset }: Page): { entries: T[]; next_offset: number | null } {
  const end = offset + limit;
  return { entries: all.slice(offset, end), next_offset: end < all.length ? end : null };
}
