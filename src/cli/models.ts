/** `models`: what can answer (PROTOCOL.md, "Catalogs"). */
import type { Connection } from '../client/connection.ts';
import { sanitiseLine } from '../render/sanitise.ts';
import type { ModelEntry } from '../wire/catalog.ts';
import type { ResultPayload } from '../wire/operations.ts';
import { connected } from './connected.ts';
import { EXIT, type GlobalFlags } from './flags.ts';

const PAGE = 32;

/** Prints a line per model: `provider/model`, its window and its thinking levels. Returns the exit code. */
export function models(flags: GlobalFlags, refresh: 'cached' | 'refresh'): Promise<number> {
  return connected(flags, async (connection) => {
    const { entries } = await connection.request('catalog.providers', {});
    for (const { provider_id: providerId } of entries) await printProvider(connection, providerId, refresh);
    return EXIT.ok;
  });
}

async function printProvider(
  connection: Connection,
  providerId: string,
  refresh: 'cached' | 'refresh',
): Promise<void> {
  if (refresh === 'refresh') await connection.request('catalog.refresh', { provider_id: providerId });
  let offset: number | null = 0;
  while (offset !== null) {
    const asked = { provider_id: providerId, offset, limit: PAGE };
    const page: ResultPayload<'catalog.models'> = await connection.request('catalog.models', asked);
    if (offset === 0) note(providerId, page.state);
    for (const model of page.entries) process.stdout.write(`${lineOf(model)}\n`);
    offset = page.next_offset;
  }
}

/** What the list is worth goes where it does not disturb a pipe. */
function note(providerId: string, state: string): void {
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
