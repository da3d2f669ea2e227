/** Who could answer and with which models, as far as it was read. */
import type { ModelEntry } from '../wire/catalog.ts';
import type { ConfigProjection, Selection } from '../wire/config.ts';

export interface CatalogProvider {
  readonly id: string;
  readonly label: string;
  /** Why it cannot answer; empty when it can. */
  readonly reason: string;
  /** How much its list is worth: `stale` shows models of which none can be chosen before it is read again. */
  readonly list: 'fresh' | 'stale' | 'unavailable';
  readonly models: readonly ModelEntry[];
}

export interface Catalog {
  readonly state: 'unread' | 'reading' | 'read' | 'failed';
  readonly providers: readonly CatalogProvider[];
  /** Why it could not be read; empty when it could. */
  readonly failure: string;
  /** What goes on while it is read; null otherwise. */
  readonly progress: CatalogProgress | null;
}

export interface CatalogProgress {
  /** `asking`: the provider is asked for its list; `reading`: the service is asked for what it has. */
  readonly doing: 'asking' | 'reading';
  /** Empty while it is found out which there are. */
  readonly providerId: string;
  /** Models of that provider so far. */
  readonly models: number;
  /** Unix time from which on it goes on, ms. */
  readonly since: number;
}

export const NO_CATALOG: Catalog = { state: 'unread', providers: [], failure: '', progress: null };

/** The levels of a model as far as they were read; null for a model that is not known. */
export function levelsOf(
  { catalog, config }: { readonly catalog: Catalog; readonly config: ConfigProjection | null },
  { model_id, provider_id }: Selection,
): readonly string[] | null {
  const provider = catalog.providers.find(({ id }) => id === provider_id);
  const model = provider?.models.find((entry) => entry.model_id === model_id);
  if (model !== undefined) return model.available_thinking_levels;
  const { selection } = config ?? {};
  const isConfigured = selection?.provider_id === provider_id && selection.model_id === model_id;
  return isConfigured ? (config?.available_thinking_levels ?? null) : null;
}
