/** Where the settings come from and what they let tools do, for clients with the session profile (PROTOCOL.md, "Configuration"). */
import { hasFastMode } from '../../agent/fast-mode.ts';
import type { Settings } from '../../platform/settings.ts';
import type { ConfigProjection, SavedLayer } from '../../wire/config.ts';
import { isLevel } from './catalog.ts';
import type { Provider } from './providers.ts';
import { type Layer, layersOf } from './selection.ts';

/** The members that the projection has for those clients only. */
export function provenance(
  settings: Settings,
  workspace: string,
  env: NodeJS.ProcessEnv,
  providers: readonly Provider[],
): Required<Pick<ConfigProjection, 'layers' | 'unasked' | 'fast_providers'>> {
  const layers = layersOf(settings, workspace, env);
  const deciding = (decides: (layer: Layer) => boolean): Layer['name'] | null =>
    layers.find(decides)?.name ?? null;
  const saved = (name: Layer['name']): SavedLayer => savedBy(layers.find((layer) => layer.name === name));
  const allow = settings.workspaces?.[workspace]?.allow;
  return {
    layers: {
      deciding: {
        selection: deciding(({ model, provider }) => model !== null || provider !== null),
        thinking_level: deciding(({ thinkingLevel }) => thinkingLevel !== null),
      },
      environment: saved('environment'),
      project: saved('project'),
      global: saved('global'),
    },
    fast_providers: providers.filter(({ spec }) => spec !== null && hasFastMode(spec)).map(({ id }) => id),
    unasked: [
      ...(allow?.bash === true ? (['bash'] as const) : []),
      ...(allow?.writeOutside === true ? (['write_outside'] as const) : []),
    ],
  };
}

function savedBy(layer: Layer | undefined): SavedLayer {
  const level = layer?.thinkingLevel ?? null;
  return {
    provider_id: layer?.provider ?? null,
    model_id: layer?.model ?? null,
    thinking_level: level !== null && isLevel(level) ? level : null,
  };
}
