/**
 * Which provider and model is meant (PROTOCOL.md, "Configuration"): environment, then the folder, then everywhere,
 * then whatever is ready to use: a key of the environment, what somebody signed in to, a stored key.
 * Invariants: a layer that names another provider does not inherit the model of a lower one; signing in changes
 * nothing for those who chose a provider or a model.
 */
import type { Settings } from '../../platform/settings.ts';
import { selectionId } from '../../wire/fields.ts';
import { CODEX } from '../auth/codex-credentials.ts';

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

/** What the shared store holds, by provider. */
export interface Credentials {
  hasKey(provider: string): boolean;
  /** Also when the sign-in has to be renewed: nobody is moved to another provider for that. */
  isSignedIn(provider: string): boolean;
}

export function choose(
  settings: Settings,
  workspace: string,
  env: NodeJS.ProcessEnv,
  credentials: Credentials,
): Choice {
  const project = settings.workspaces?.[workspace] ?? {};
  const fromEnv = { provider: env.MAGI_TERM_PROVIDER, model: env.MAGI_TERM_MODEL };
  const layers: readonly Layer[] = [settings, project, fromEnv];
  const isChosen = layers.some(({ model, provider }) => valid(provider) !== null || valid(model) !== null);
  const signedIn = !isChosen && credentials.isSignedIn(CODEX) ? CODEX : null;
  let providerId = keyInEnvironment(env) ?? signedIn ?? storedKey(credentials);
  let modelId: string | null = null;
  for (const layer of layers) {
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

function keyInEnvironment(env: NodeJS.ProcessEnv): string | null {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  if (isSet('ANTHROPIC_API_KEY')) return 'anthropic';
  return isSet('OPENAI_API_KEY') || isSet('OPENAI_BASE_URL') ? 'openai' : null;
}

/** A provider also when nothing is stored: then it is told that its key is missing. */
function storedKey({ hasKey }: Credentials): string {
  return hasKey('openai') && !hasKey('anthropic') ? 'openai' : 'anthropic';
}

function valid(value: string | undefined): string | null {
  return value !== undefined && selectionId.safeParse(value).success ? value : null;
}
