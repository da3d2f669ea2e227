/** Reading who could answer and with which models, when somebody wants to choose (PROTOCOL.md, "Catalogs"). */
import { listedModels, listedProviders } from '../client/catalog-pages.ts';
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import type { ProviderAuth } from '../wire/auth.ts';
import type { ResultPayload } from '../wire/operations.ts';
import type { Catalog, CatalogProgress, CatalogProvider } from './catalog.ts';
import { inForce } from './session-choices.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

export interface ModelCatalogParts {
  readonly store: Store<State>;
  /** The present connection; null while the link is lost. */
  readonly connection: () => Connection | null;
  /** Unix time, ms. */
  readonly now: () => number;
}

/** Invariant: one reading at a time; what was read before stays until all of it is there anew. */
export class ModelCatalog {
  readonly #parts: ModelCatalogParts;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: ModelCatalogParts) {
    this.#parts = parts;
  }

  /** Reads the lists; that of the provider that answers is fetched where it is missing. */
  read(): Promise<void> {
    return this.#inTurn(async (connection) => {
      await this.#readAll(connection);
      const { catalog, choices, config } = this.#parts.store.getState();
      const { selection } = inForce(choices, config, () => null);
      const provider = catalog.providers.find(({ id }) => id === selection?.provider_id);
      const isMissing = provider?.reason === '' && provider.list !== 'fresh';
      return isMissing ? this.#refresh(connection, provider.id) : '';
    });
  }

  /** Has a provider's list fetched anew, and reads all of them. */
  refresh(providerId: string): Promise<void> {
    return this.#inTurn((connection) => this.#refresh(connection, providerId));
  }

  /** Returns what went wrong without being refused; empty for nothing. @throws WireFailure */
  async #refresh(connection: Connection, providerId: string): Promise<string> {
    this.#progress({ doing: 'asking', providerId, models: 0 });
    const { state } = await connection.request('catalog.refresh', { provider_id: providerId });
    await this.#readAll(connection);
    return outcomeWords(providerId, state);
  }

  async #readAll(connection: Connection): Promise<void> {
    this.#progress({ doing: 'reading', providerId: '', models: 0 });
    const { providers: auths } = await connection.request('auth.status', {});
    const providers: CatalogProvider[] = [];
    for (const { label, provider_id: id } of await listedProviders(connection)) {
      const read = (models: number): void => this.#progress({ doing: 'reading', providerId: id, models });
      providers.push(await readProvider(connection, { id, label, read }, auths));
    }
    this.#show({ providers });
  }

  /** A failure is a state of the catalog, not of the program. */
  #inTurn(job: (connection: Connection) => Promise<string>): Promise<void> {
    if (this.#parts.connection() !== null) this.#show({ state: 'reading', failure: '' });
    this.#work = this.#work.then(async () => {
      const failure = await this.#failureOf(job);
      this.#show({ state: failure === '' ? 'read' : 'failed', failure, progress: null });
    });
    return this.#work;
  }

  async #failureOf(job: (connection: Connection) => Promise<string>): Promise<string> {
    const connection = this.#parts.connection();
    if (connection === null) return 'The link is lost.';
    try {
      return await job(connection);
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error;
      return `${error.sentence} ${error.next}`;
    }
  }

  /** The clock goes on where the same thing goes on. */
  #progress(step: Omit<CatalogProgress, 'since'>): void {
    const { catalog } = this.#parts.store.getState();
    const before = catalog.progress;
    const goesOn = before?.doing === step.doing && before.providerId === step.providerId;
    const since = goesOn ? before.since : this.#parts.now();
    this.#show({ state: 'reading', failure: '', progress: { ...step, since } });
  }

  #show(change: Partial<Catalog>): void {
    this.#parts.store.update((state) => ({ ...state, catalog: { ...state.catalog, ...change } }));
  }
}

/** What it means that a provider was asked; empty when all is well. */
function outcomeWords(providerId: string, state: ResultPayload<'catalog.refresh'>['state']): string {
  switch (state) {
    case 'fresh_cache':
      return '';
    case 'stale':
      return `${providerId} gave no newer list, and of the old one nothing can be chosen. Try again in a moment.`;
    case 'unavailable':
      return `${providerId} gave no list. Is it signed in to, and reachable?`;
  }
}

async function readProvider(
  connection: Connection,
  { id, label, read }: Pick<CatalogProvider, 'id' | 'label'> & { readonly read: (models: number) => void },
  auths: readonly ProviderAuth[],
): Promise<CatalogProvider> {
  const auth = auths.find((entry) => entry.provider_id === id);
  const reason = auth === undefined ? '' : reasonOf(auth);
  if (reason !== '') return { id, label, reason, list: 'unavailable', models: [] };
  const { entries: models, state } = await listedModels(connection, id, read);
  const list = state === 'fresh_cache' ? 'fresh' : state;
  return { id, label, reason, list, models };
}

function reasonOf({ auth_method, ready, readiness }: ProviderAuth): string {
  if (ready) return '';
  if (auth_method === 'oauth')
    return readiness === 'needs_login' ? 'the sign-in has to be renewed' : 'not signed in';
  return 'its key is missing';
}
