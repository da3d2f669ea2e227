/**
 * What `PROVIDER/MODEL` means, although IDs of both may hold slashes.
 * Invariant: nothing is guessed. Every cut at a slash behind a provider that the service lists is a reading, and so is
 * the whole as a model of the provider that answers anyway. What the list of a provider lacks is no reading; unless
 * exactly one is left, the user is asked to say which.
 */

import { listedModels, listedProviders } from '../../client/catalog-pages.ts';
import type { Connection } from '../../client/connection.ts';
import { WireFailure } from '../../client/failure.ts';
import { UsageError } from '../flags.ts';

export interface ModelReading {
  /** Null: a model of the provider that answers anyway. */
  readonly providerId: string | null;
  readonly modelId: string;
}

export interface ReadingOptions {
  /** The provider that answers anyway; null: as the service says. */
  readonly holder: string | null;
  /** Whether a model can be saved while the list of its provider is not there; where it cannot, the service says so. */
  readonly unlisted: 'possible' | 'refused';
}

/** @throws UsageError when it can be read in several ways, or in none; WireFailure */
export async function readModel(
  connection: Connection,
  value: string,
  { holder, unlisted }: ReadingOptions,
): Promise<ModelReading> {
  const known = (await listedProviders(connection)).map(({ provider_id: id }) => id);
  const owner = holder ?? (await connection.request('config.get', {})).selection.provider_id;
  const readings: Reading[] = [];
  for (const reading of splits(value))
    if (known.includes(reading.providerId) && (await offer(connection, reading)) !== 'unlisted')
      readings.push(reading);
  const whole = { providerId: owner, modelId: value };
  const offered = known.includes(owner) ? await offer(connection, whole) : 'unknown';
  const isWhole =
    offered === 'listed' || (offered === 'unknown' && (unlisted === 'possible' || readings.length === 0));
  const [only, ...more] = isWhole ? [...readings, whole] : readings;
  if (only === undefined)
    throw new UsageError(
      `${value} is no listed PROVIDER/MODEL, and no model of ${owner}: magi-term models lists what can answer. --provider says whose model it is, listed or not.`,
    );
  if (more.length > 0) throw new UsageError(choiceOf(value, [only, ...more]));
  return only === whole ? { providerId: null, modelId: value } : only;
}

interface Reading {
  readonly providerId: string;
  readonly modelId: string;
}

function choiceOf(value: string, readings: readonly Reading[]): string {
  const commands = readings.map(
    ({ modelId, providerId }) => `\n  magi-term config set model ${modelId} --provider ${providerId}`,
  );
  return `${value} can be more than one model: say whose it is.${commands.join('')}`;
}

/** Every way to cut it at a slash. */
function splits(value: string): readonly Reading[] {
  return [...value.matchAll(/\//g)]
    .map(({ index }) => ({ providerId: value.slice(0, index), modelId: value.slice(index + 1) }))
    .filter(({ modelId, providerId }) => providerId !== '' && modelId !== '');
}

/** What the list of a provider says of a model; a list that is missing is asked for once. */
async function offer(
  connection: Connection,
  { modelId, providerId }: Reading,
): Promise<'listed' | 'unlisted' | 'unknown'> {
  let list = await listedModels(connection, providerId);
  if (list.state === 'unavailable' && (await refreshed(connection, providerId)))
    list = await listedModels(connection, providerId);
  if (list.state === 'unavailable') return 'unknown';
  return list.entries.some((entry) => entry.model_id === modelId) ? 'listed' : 'unlisted';
}

async function refreshed(connection: Connection, providerId: string): Promise<boolean> {
  try {
    await connection.request('catalog.refresh', { provider_id: providerId });
    return true;
  } catch (error) {
    if (error instanceof WireFailure && error.code !== 'link_lost') return false;
    throw error;
  }
}
