/**
 * Which saved provider and model count (PROTOCOL.md, "Configuration"): the environment before the folder, the folder
 * before all folders. Pure.
 * Invariant: as the embedded service chooses, a layer that names another provider does not inherit the model of a
 * lower one.
 */
import type { Settings } from '../../platform/settings.ts';
import { selectionId } from '../../wire/fields.ts';
import type { Scope } from './setting.ts';

export interface Decided {
  /** Null where the service chooses: a provider that is ready, or the usual model of the provider. */
  readonly value: string | null;
  /** Who decides; null where no layer says anything. */
  readonly by: Scope | 'environment' | null;
}

export interface Deciding {
  readonly provider: Decided;
  readonly model: Decided;
}

/** What counts; with an empty environment, what of the saved values does. */
export function deciding(settings: Settings, workspace: string, env: NodeJS.ProcessEnv): Deciding {
  const fromEnv = { provider: env.MAGI_TERM_PROVIDER, model: env.MAGI_TERM_MODEL };
  const layers = [
    { by: 'global', said: settings },
    { by: 'project', said: settings.workspaces?.[workspace] ?? {} },
    { by: 'environment', said: fromEnv },
  ] as const;
  let provider: Decided = { value: null, by: null };
  let model: Decided = { value: null, by: null };
  for (const { by, said } of layers) {
    const named = usable(said.provider);
    if (named !== null) {
      if (named !== provider.value) model = { value: null, by };
      provider = { value: named, by };
    }
    const chosen = usable(said.model);
    if (chosen !== null) model = { value: chosen, by };
  }
  return { provider, model };
}

/** What is no ID is passed over. */
function usable(value: string | undefined): string | null {
  return selectionId.safeParse(value).success ? (value ?? null) : null;
}

/** Why something else runs than what is printed or was saved, as a sentence. */
export function decidingWords(name: 'provider' | 'model', { [name]: decided, provider }: Deciding): string {
  const runs = decided.value ?? `the usual model of ${provider.value}`;
  if (decided.by === 'project') return `What is saved for this folder decides here: ${runs}.`;
  const variable = decided.value === null || name === 'provider' ? 'MAGI_TERM_PROVIDER' : 'MAGI_TERM_MODEL';
  return `${variable} decides instead, for services that start from this shell: ${runs}.`;
}
