/** Lists of the service, page by page (PROTOCOL.md, "Catalogs"). */
import type { Connection } from '../client/connection.ts';
import type { ModelEntry } from '../wire/catalog.ts';
import type { ResultPayload } from '../wire/operations.ts';

const PAGE = 32;

/** IDs of all providers. @throws WireFailure */
export async function providerIds(connection: Connection): Promise<readonly string[]> {
  const ids: string[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page: ResultPayload<'catalog.providers'> = await connection.request('catalog.providers', {
      offset,
      limit: PAGE,
    });
    ids.push(...page.entries.map(({ provider_id: id }) => id));
    offset = page.next_offset;
  }
  return ids;
}

export interface ModelPages {
  readonly state: ResultPayload<'catalog.models'>['state'];
  readonly entries: readonly ModelEntry[];
}

/** All models of a provider that are known without asking it. @throws WireFailure */
export async function modelsOf(connection: Connection, providerId: string): Promise<ModelPages> {
  const entries: ModelEntry[] = [];
  let state: ModelPages['state'] = 'unavailable';
  let offset: number | null = 0;
  while (offset !== null) {
    const page: ResultPayload<'catalog.models'> = await connection.request('catalog.models', {
      provider_id: providerId,
      offset,
      limit: PAGE,
    });
    entries.push(...page.entries);
    state = page.state;
    offset = page.next_offset;
  }
  return { state, entries };
}
