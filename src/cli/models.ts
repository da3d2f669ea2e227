/** `models`: what can answer (PROTOCOL.md, "Catalogs"). */

import { listedModels, listedProviders, type ModelPages } from '../client/catalog-pages.ts';
import type { Connection } from '../client/connection.ts';
import { WireFailure } from '../client/failure.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import type { ModelEntry } from '../wire/catalog.ts';
import { connected } from './connected.ts';
import { EXIT, type GlobalFlags } from './flags.ts';

export interface ModelsOptions {
  /** `refresh`: the providers are asked anew. */
  readonly lists: 'cached' | 'refresh';
  readonly format: 'text' | 'json';
}

/**
 * Prints a line per model (`provider/model`, its window and its thinking levels), or one JSON array of the entries of
 * the wire. What each list is worth goes to stderr. Returns the exit code: 1 when a provider failed; the others are
 * listed all the same.
 */
export function models(flags: GlobalFlags, { format, lists }: ModelsOptions): Promise<number> {
  return connected(flags, async (connection) => {
    const all: ModelEntry[] = [];
    let code: number = EXIT.ok;
    for (const { provider_id: id } of await listedProviders(connection)) {
      const isAsked = lists === 'cached' || (await refreshed(connection, id));
      const list = await listOf(connection, id);
      if (!isAsked || list === null) code = EXIT.failed;
      if (list === null) continue;
      if (lists === 'cached') note(id, list.state);
      else if (isAsked) process.stderr.write(`${OUTCOMES[list.state]}\n`);
      all.push(...list.entries);
      if (format === 'text') for (const model of list.entries) process.stdout.write(`${lineOf(model)}\n`);
    }
    if (format === 'json') process.stdout.write(`${JSON.stringify(all)}\n`);
    return code;
  });
}

const OUTCOMES: Readonly<Record<ModelPages['state'], string>> = {
  fresh_cache: 'fresh.',
  stale: 'still old.',
  unavailable: 'it has no list of models.',
};

/** Begins a line on stderr, which the outcome ends. */
async function refreshed(connection: Connection, providerId: string): Promise<boolean> {
  process.stderr.write(`${sanitiseLine(providerId)}: asking … `);
  try {
    await connection.request('catalog.refresh', { provider_id: providerId });
    return true;
  } catch (error) {
    process.stderr.write(`${refusalWords(error)}\n`);
    return false;
  }
}

/** Null when the service refuses it. */
async function listOf(connection: Connection, providerId: string): Promise<ModelPages | null> {
  try {
    return await listedModels(connection, providerId);
  } catch (error) {
    process.stderr.write(`${sanitiseLine(providerId)}: ${refusalWords(error)}\n`);
    return null;
  }
}

/** What a refusal says; without the link there is nobody left to ask. @throws anything else */
function refusalWords(error: unknown): string {
  if (!(error instanceof WireFailure) || error.code === 'link_lost') throw error;
  return `${error.sentence} ${error.next}`;
}

/** What the list is worth goes where it does not disturb a pipe. */
function note(providerId: string, state: ModelPages['state']): void {
  const id = sanitiseLine(providerId);
  if (state === 'stale') process.stderr.write(`${id}: the list is old: run magi-term models --refresh\n`);
  if (state === 'unavailable')
    process.stderr.write(`${id}: no list of models: is it signed in and reachable?\n`);
}

function lineOf(model: ModelEntry): string {
  const window = model.context_window === null ? '' : `${Math.round(model.context_window / 1_000)}k`;
  const levels = model.available_thinking_levels.filter((level) => level !== 'default').join(' ');
  const name = sanitiseLine(`${model.provider_id}/${model.model_id}`);
  const mark = model.available ? '' : '(not available)';
  return [name, window, levels, mark].filter((part) => part !== '').join('  ');
}
