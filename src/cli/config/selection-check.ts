/**
 * Whether a provider and a model that are to be saved exist, and what the provider has. No service is started for that, and no server is asked.
 * Invariant: a provider that does not exist is never saved; a model that no list has is, since lists age.
 */

import { listedModels } from '../../client/catalog-pages.ts';
import { WireFailure } from '../../client/failure.ts';
import { sanitiseLine } from '../../render/sanitise.ts';
import { dialRunning } from '../dialling.ts';
import type { Place } from '../flags.ts';
import { providerNamed } from '../provider-names.ts';

/**
 * The ID of the provider that a name stands for.
 * @throws UsageError when there is none, Error when the settings cannot be used
 */
export async function providerId(place: Place, name: string): Promise<string> {
  const { knownProviders } = await import('../daemon-providers.ts');
  return providerNamed(name, knownProviders(place)).id;
}

/** False also for a provider that does not exist. @throws Error when the settings cannot be used */
export async function hasFastMode(place: Place, id: string): Promise<boolean> {
  const { knownProviders } = await import('../daemon-providers.ts');
  return knownProviders(place).find((provider) => provider.id === id)?.hasFastMode === true;
}

/**
 * What people should know of a model that no list has, as a sentence; null when a list has it, or nobody knows.
 * @param owner whose model it is; null where the service chooses
 * @throws Error when the settings cannot be used
 */
export async function unlistedWords(
  place: Place,
  owner: string | null,
  model: string,
): Promise<string | null> {
  const list = (await listOfService(place, owner)) ?? (await listOfProgram(place, owner));
  if (list === null || list.models.length === 0 || list.models.includes(model)) return null;
  const count = list.models.length === 1 ? '1 model' : `${list.models.length} models`;
  return `${sanitiseLine(model)} is not in the list of ${sanitiseLine(list.owner)} (${count}), and is saved all the same. magi-term models shows what is.`;
}

interface List {
  readonly owner: string;
  readonly models: readonly string[];
}

/** Null when no service runs, or it has no list. */
async function listOfService(place: Place, owner: string | null): Promise<List | null> {
  const connection = await dialRunning(place);
  if (connection === null) return null;
  try {
    const id = owner ?? (await connection.request('config.get', {})).selection.provider_id;
    const { entries } = await listedModels(connection, id);
    return entries.length === 0 ? null : { owner: id, models: entries.map(({ model_id }) => model_id) };
  } catch (error) {
    if (error instanceof WireFailure) return null;
    throw error;
  } finally {
    connection.close();
  }
}

/** What comes with the program. */
async function listOfProgram(place: Place, owner: string | null): Promise<List | null> {
  const { knownProviders } = await import('../daemon-providers.ts');
  const provider = knownProviders(place).find(({ id }) => id === owner);
  return provider === undefined ? null : { owner: provider.id, models: await provider.builtInModels() };
}
