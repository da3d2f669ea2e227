/** The lists of a service, read page by page (PROTOCOL.md, "Catalogs"). Pages that do not go on end the reading. */
import type { ModelEntry } from '../wire/catalog.ts';
import type { ResultPayload } from '../wire/operations.ts';
import type { Connection } from './connection.ts';

type ProviderEntry = ResultPayload<'catalog.providers'>['entries'][number];

/** All providers. @throws WireFailure */
export async function listedProviders(connection: Connection): Promise<readonly ProviderEntry[]> {
  const entries: ProviderEntry[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: ResultPayload<'catalog.providers'> = await connection.request('catalog.providers', {
      offset,
    });
    entries.push(...page.entries);
    offset = later(offset, page.next_offset);
  }
  return entries;
}

export interface ModelPages {
  /** As the last page tells it. */
  readonly state: ResultPayload<'catalog.models'>['state'];
  readonly entries: readonly ModelEntry[];
}

/**
 * All models of a provider that are known without asking it.
 * @param onPage hears how many there are so far
 * @throws WireFailure
 */
export async function listedModels(
  connection: Connection,
  providerId: string,
  onPage: (models: number) => void = () => undefined,
): Promise<ModelPages> {
  const entries: ModelEntry[] = [];
  let state: ModelPages['state'] = 'unavailable';
  for (let offset: number | null = 0; offset !== null; ) {
    const page: ResultPayload<'catalog.models'> = await connection.request('catalog.models', {
      provider_id: providerId,
      offset,
    });
    entries.push(...page.entries);
    onPage(entries.length);
    state = page.state;
    offset = later(offset, page.next_offset);
  }
  return { state, entries };
}

function later(offset: number, next: number | null): number | null {
  return next !== null && next > offset ? next : null;
}
