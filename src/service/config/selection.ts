/**
 * Which provider and model is meant (PROTOCOL.md, "Configuration"): environment, then the folder, then everywhere,
 * then whatever is ready to use. A layer that names another provider does not inherit the model of a lower one.
 */
import type { Settings } from '../../platform/settings.ts';
import { selectionId } from '../../wire/fields.ts';

export interface Choice {
  readonly providerId: string;
  /** Null when no layer names one: then the provider's own default is meant. */
  readonly modelId: string | null;
  /** As saved, not yet held against what the model offers. */
  readonly thinkingLevel: string;
}

interface Layer {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** @param hasKey whether a key of that provider is in the shared store */
export function choose(
  settings: Settings,
  workspace: string,
  env: NodeJS.ProcessEnv,
  hasKey: (provider: string) => boolean,
): Choice {
  const project = settings.workspaces?.[workspace] ?? {};
  const fromEnv = { provider: env.MAGI_TERM_PROVIDER, model: env.MAGI_TERM_MODEL };
  let providerId = readyProvider(env, hasKey);
  let modelId: string | null = null;
  for (const layer of [settings, project, fromEnv] satisfies Layer[]) {
    const provider = valid(layer.provider);
    const model = valid(layer.model);
    if (provider !== null && provider !== providerId) {
      providerId = provider;
      modelId = null;
    }
    modelId = model ?? modelId;
  }
  const thinkingLevel = project.thinkingLevel ?? settings.thinkingLevel ?? 'default';
  return { providerId, modelId, thinkingLevel };
}

function readyProvider(env: NodeJS.ProcessEnv, hasKey: (provider: string) => boolean): string {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('ANTHROPIC_API_KEY')) return 'anthropic';
  if (isSet('OPENAI_API_KEY') || isSet('OPENAI_BASE_URL')) return 'openai';
  return hasKey('openai') && !hasKey('anthropic') ? 'openai' : 'anthropic';
}

function valid(value: string | undefined): string | null {
  return value !== undefined && selectionId.safeParse(value).success ? value : null;
}
