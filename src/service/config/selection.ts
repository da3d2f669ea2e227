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

/** What one layer says; null where it says nothing that can be used. */
export interface Layer {
  readonly name: 'environment' | 'project' | 'global';
  readonly provider: string | null;
  readonly model: string | null;
  readonly thinkingLevel: string | null;
}

/** What the shared store holds, by provider. */
export interface Credentials {
  hasKey(provider: string): boolean;
  /** Also when the sign-in has to be renewed: nobody is moved to another provider for that. */
  isSignedIn(provider: string): boolean;
}

/** The layers, the one that counts most first. */
export function layersOf(settings: Settings, workspace: string, env: NodeJS.ProcessEnv): readonly Layer[] {
  const project = settings.workspaces?.[workspace] ?? {};
  const layer = (name: Layer['name'], said: Said): Layer => ({
    name,
    provider: valid(said.provider),
    model: valid(said.model),
    thinkingLevel: said.thinkingLevel ?? null,
  });
  return [
    layer('environment', { provider: env.MAGI_TERM_PROVIDER, model: env.MAGI_TERM_MODEL }),
    layer('project', project),
    layer('global', settings),
  ];
}

interface Said {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly thinkingLevel?: string | undefined;
}

export function choose(
  settings: Settings,
  workspace: string,
  env: NodeJS.ProcessEnv,
  credentials: Credentials,
): Choice {
  const layers = layersOf(settings, workspace, env);
  const isChosen = layers.some(({ model, provider }) => provider !== null || model !== null);
  const signedIn = !isChosen && credentials.isSignedIn(CODEX) ? CODEX : null;
  let providerId = keyInEnvironment(env) ?? signedIn ?? storedKey(credentials);
  let modelId: string | null = null;
  for (const { model, provider } of layers.toReversed()) {
    if (provider !== null && provider !== providerId) {
      providerId = provider;
      modelId = null;
    }
    modelId = model ?? modelId;
  }
  const thinkingLevel = layers.find((layer) => layer.thinkingLevel !== null)?.thinkingLevel ?? 'default';
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
