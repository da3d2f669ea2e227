/** What the client asks a service once per connection: who it is, what will answer, and, if nobody, who could. */
import { listedModels, listedProviders } from '../client/catalog-pages.ts';
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import type { ProviderAuth } from '../wire/auth.ts';
import type { ConfigProjection } from '../wire/config.ts';
import type { Method } from '../wire/operations.ts';
import type { Choice, State } from './state.ts';
import type { Update } from './store.ts';

/**
 * The facts as one update.
 * @throws WireFailure when the link is lost; settings that cannot be read become a notice
 */
export async function readService(connection: Connection): Promise<Update<State>> {
  const { server_name: name, server_version: version } = connection.service;
  try {
    const config = offers(connection, 'config.get') ? await connection.request('config.get', {}) : null;
    const { provider_auth_ready: ready } = await connection.request('status', {});
    const choices = ready || !offers(connection, 'config.set') ? [] : await readChoices(connection);
    const setup = choices.some((choice) => choice.howTo === '') ? choices : null;
    const notice = ready || setup !== null ? null : NOBODY;
    return (state) => ({
      ...state,
      service: { name, version },
      config,
      setup,
      notice: notice ?? state.notice,
    });
  } catch (error) {
    if (!(error instanceof WireFailure) || error.code === 'link_lost') throw error;
    const text = `${error.sentence} ${error.next}`;
    return (state) => ({ ...state, service: { name, version }, notice: { text, tone: 'warn' } });
  }
}

export const NOBODY = {
  text: 'Nobody can answer yet: set a key in the environment of the service, or sign in with its own program.',
  tone: 'warn',
} as const;

function offers(connection: Connection, method: Method): boolean {
  return connection.service.capabilities.operations.includes(method);
}

/** Everybody who could answer, those that can at once first; the demo last, as it is no model. */
export async function readChoices(connection: Connection): Promise<readonly Choice[]> {
  const { providers } = await connection.request('auth.status', {});
  const entries = await listedProviders(connection);
  const choices: Choice[] = [];
  for (const entry of entries) {
    const auth = providers.find((provider) => provider.provider_id === entry.provider_id);
    const choice = await readChoice(connection, entry.provider_id, entry.label, auth);
    if (choice !== null) choices.push(choice);
  }
  return choices.toSorted((left, right) => rank(left) - rank(right));
}

function rank(choice: Choice): number {
  if (choice.providerId === 'demo') return 3;
  if (choice.signIn === true) return 1;
  return choice.howTo === '' ? 0 : 2;
}

async function readChoice(
  connection: Connection,
  providerId: string,
  label: string,
  auth: ProviderAuth | undefined,
): Promise<Choice | null> {
  if (auth === undefined) return null;
  if (auth.auth_method === 'oauth' && !auth.ready) return signingIn(connection, providerId);
  if (!auth.ready) {
    const howTo = `set ${keyVariable(providerId)} in the environment of the service and start it again.`;
    return { providerId, modelId: '', label, detail: 'it has no key yet: how to', howTo };
  }
  const { entries, state } = await listedModels(connection, providerId);
  const model = state === 'stale' ? undefined : entries.find((entry) => entry.available);
  if (model === undefined) {
    const worth = entries.length === 0 ? 'its models are not known yet' : 'its list of models is old';
    return { providerId, modelId: '', label, detail: `${worth}: Enter asks`, howTo: '' };
  }
  return {
    providerId,
    modelId: model.model_id,
    label,
    detail: detailOf(providerId, entries.length, model.label, auth),
    howTo: '',
  };
}

/** Whether the models of a choice have to be asked for before one of them can answer. */
export function lacksModels({ howTo, modelId, signIn }: Choice): boolean {
  return modelId === '' && howTo === '' && signIn !== true;
}

/** Null where the service signs nobody in. */
function signingIn(connection: Connection, providerId: string): Choice | null {
  if (!offers(connection, 'auth.login.start')) return null;
  const detail = 'Codex: in your browser, or paste a code';
  return { providerId, modelId: '', label: 'Sign in with ChatGPT', detail, howTo: '', signIn: true };
}

function keyVariable(providerId: string): string {
  return `${providerId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`;
}

const SOURCES: Readonly<Record<ProviderAuth['source'], string>> = {
  environment: 'key from the environment',
  shared_store: 'saved key',
  none: 'no key needed',
};

function detailOf(providerId: string, models: number, first: string, auth: ProviderAuth): string {
  if (providerId === 'demo') return 'offline and scripted, but its tools are real';
  const source = SOURCES[auth.source];
  return `${source} · ${models === 1 ? first : `${models} models, first ${first}`}`;
}

/**
 * Has the models of a choice fetched.
 * @throws WireFailure with the service's reason
 */
export async function fetchModels(connection: Connection, { providerId }: Choice): Promise<void> {
  if (offers(connection, 'catalog.refresh'))
    await connection.request('catalog.refresh', { provider_id: providerId });
}

/**
 * Saves who answers from now on and returns the settings in force.
 * @throws WireFailure with the service's reason
 */
export async function choose(connection: Connection, choice: Choice): Promise<ConfigProjection> {
  const selection = { provider_id: choice.providerId, model_id: choice.modelId };
  const { effective } = await connection.request('config.set', { scope: 'global', selection });
  return effective;
}
