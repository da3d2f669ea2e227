/** Reading who could answer and with which models, when somebody wants to choose (PROTOCOL.md, "Catalogs"). */
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import type { ProviderAuth } from '../wire/auth.ts';
import type { ModelEntry } from '../wire/catalog.ts';
import type { ResultPayload } from '../wire/operations.ts';
import type { Catalog, CatalogProvider } from './catalog.ts';
import { inForce } from './session-choices.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

/** Without a link nothing can be read. */
export const catalogLost = (state: State): State => ({
  ...state,
  catalog: { ...state.catalog, state: 'failed', failure: 'The link is lost.' },
});

/** Reads the lists; that of the provider that answers is fetched where it is missing. Never throws a WireFailure. */
export async function openCatalog(store: Store<State>, connection: Connection): Promise<void> {
  await readCatalog(store, connection);
  const { catalog, choices, config } = store.getState();
  const { selection } = inForce(choices, config, () => null);
  const provider = catalog.providers.find(({ id }) => id === selection?.provider_id);
  if (catalog.state === 'read' && provider?.reason === '' && provider.list !== 'fresh')
    await refreshList(store, connection, provider.id);
}

/** Has a provider's list fetched anew, and reads all of them. Never throws a WireFailure. */
export async function refreshList(
  store: Store<State>,
  connection: Connection,
  providerId: string,
): Promise<void> {
  store.update((state) => ({ ...state, catalog: { ...state.catalog, state: 'reading', failure: '' } }));
  try {
    await connection.request('catalog.refresh', { provider_id: providerId });
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    const failure = `${error.sentence} ${error.next}`;
    store.update((state) => ({ ...state, catalog: { ...state.catalog, state: 'failed', failure } }));
    return;
  }
  await readCatalog(store, connection);
}

/** What was read before stays until all of it is there anew. Never throws a WireFailure. */
async function readCatalog(store: Store<State>, connection: Connection): Promise<void> {
  const show = (change: Partial<Catalog>): void =>
    store.update((state) => ({ ...state, catalog: { ...state.catalog, ...change } }));
  show({ state: 'reading', failure: '' });
  try {
    const { providers: auths } = await connection.request('auth.status', {});
    const providers: CatalogProvider[] = [];
    for (const { label, provider_id: id } of await everyProvider(connection))
      providers.push(await readProvider(connection, { id, label }, auths));
    show({ state: 'read', providers });
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    show({ state: 'failed', failure: `${error.sentence} ${error.next}` });
  }
}

async function everyProvider(connection: Connection): Promise<ResultPayload<'catalog.providers'>['entries']> {
  const entries: ResultPayload<'catalog.providers'>['entries'] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: ResultPayload<'catalog.providers'> = await connection.request('catalog.providers', {
      offset,
    });
    entries.push(...page.entries);
    offset = later(offset, page.next_offset);
  }
  return entries;
}

async function readProvider(
  connection: Connection,
  { id, label }: Pick<CatalogProvider, 'id' | 'label'>,
  auths: readonly ProviderAuth[],
): Promise<CatalogProvider> {
  const auth = auths.find((entry) => entry.provider_id === id);
  const reason = auth === undefined ? '' : reasonOf(auth);
  if (reason !== '') return { id, label, reason, list: 'unavailable', models: [] };
  const models: ModelEntry[] = [];
  let list: CatalogProvider['list'] = 'fresh';
  for (let offset: number | null = 0; offset !== null; ) {
    const page: ResultPayload<'catalog.models'> = await connection.request('catalog.models', {
      provider_id: id,
      offset,
    });
    models.push(...page.entries);
    list = page.state === 'fresh_cache' ? 'fresh' : page.state;
    offset = later(offset, page.next_offset);
  }
  return { id, label, reason, list, models };
}

/** Pages that do not go on end the reading. */
function later(offset: number, next: number | null): number | null {
  return next !== null && next > offset ? next : null;
}

function reasonOf({ auth_method, ready, readiness }: ProviderAuth): string {
  if (ready) return '';
  if (auth_method === 'oauth')
    return readiness === 'needs_login' ? 'the sign-in has to be renewed' : 'not signed in';
  return 'its key is missing';
}
