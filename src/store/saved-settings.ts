/**
 * What the settings hold and what of it counts (PROTOCOL.md, "Configuration"). Pure.
 * Invariant: nothing is called saved but what the service said or acknowledged.
 */
import type { ConfigProjection, SavedLayer, Selection } from '../wire/config.ts';
import type { Notice } from './notice.ts';

export type Scope = 'global' | 'project';
type LayerName = ConfigProjection['precedence'][number];

export interface SavedSettings {
  /** The change that was asked for last and is on its way; null for none. */
  readonly pending: SettingsChange | null;
  /** What the last change came to. */
  readonly said: Notice | null;
  /** What this window saved, for a service that does not tell its layers. */
  readonly here: Readonly<Partial<Record<Scope, SavedLayer>>>;
}

export const NOTHING_SAVED: SavedSettings = { pending: null, said: null, here: {} };

/** What `config.set` changes. */
export interface SettingsChange {
  readonly selection?: Selection;
  readonly thinking_level?: ConfigProjection['thinking_level'];
  readonly fast?: boolean;
  /** What the scope no longer says; for services that tell their layers. */
  readonly reset?: ('selection' | 'thinking_level')[];
}

/** What a scope holds. `where`: in it, in the wider one behind it, or nowhere that is known. */
export interface Held {
  readonly value: SavedLayer | null;
  readonly where: Scope | 'unknown';
}

interface Known {
  readonly config: ConfigProjection | null;
  readonly settings: SavedSettings;
}

/** The model that a scope names, or inherits. */
export function heldModel(known: Known, scope: Scope): Held {
  return held(known, scope, (layer) => (layer.provider_id ?? layer.model_id) !== null);
}

/** The layer whose thinking level a scope has, or inherits. */
export function heldLevel(known: Known, scope: Scope): Held {
  return held(known, scope, ({ thinking_level: level }) => level !== null);
}

function held({ config, settings }: Known, scope: Scope, says: (layer: SavedLayer) => boolean): Held {
  const layers = config?.layers ?? settings.here;
  const scopes: readonly Scope[] = scope === 'project' ? ['project', 'global'] : ['global'];
  for (const name of scopes) {
    const layer = layers[name];
    if (layer !== undefined && says(layer)) return { value: layer, where: name };
  }
  return { value: null, where: 'unknown' };
}

/** The layer that decides about the model; null where nothing is saved; undefined where the service does not say. */
export function decidingLayer(config: ConfigProjection): LayerName | null | undefined {
  return config.layers?.deciding.selection;
}

/** The settings after the service acknowledged a change. */
export function withSaved(
  settings: SavedSettings,
  scope: Scope,
  { reset = [], selection, thinking_level }: SettingsChange,
): SavedSettings {
  if (reset.length > 0) return settings;
  const before = settings.here[scope] ?? { provider_id: null, model_id: null, thinking_level: null };
  const own = selection === undefined ? before.thinking_level : 'default';
  const layer = { ...before, ...selection, thinking_level: thinking_level ?? own };
  return { ...settings, here: { ...settings.here, [scope]: layer } };
}

/** Where somebody set something that counts more than what was asked for; empty when it counts. */
export function hiddenBy(
  scope: Scope,
  { selection, thinking_level }: SettingsChange,
  effective: ConfigProjection,
): readonly LayerName[] {
  const isModelHidden =
    selection !== undefined &&
    (effective.selection.provider_id !== selection.provider_id ||
      effective.selection.model_id !== selection.model_id);
  const isLevelHidden =
    thinking_level !== undefined && effective.configured_thinking_level !== thinking_level;
  if (!isModelHidden && !isLevelHidden) return [];
  const { deciding } = effective.layers ?? {};
  const told = isModelHidden ? deciding?.selection : deciding?.thinking_level;
  if (told != null && told !== scope) return [told];
  const { precedence } = effective;
  const place = precedence.indexOf(scope);
  return place === -1 ? precedence.filter((name) => name !== scope) : precedence.slice(0, place);
}

/** The levels that can be saved in a scope, and the model to save them with where another one counts for now. */
export interface LevelChoice {
  readonly levels: readonly string[];
  readonly present: string;
  readonly selection: Selection | null;
}

/**
 * A level belongs to a model: to the one that the scope names itself, whatever counts now.
 * @param levelsOf null for a model that is not known
 */
export function levelChoice(
  known: Known,
  scope: Scope,
  levelsOf: (selection: Selection) => readonly string[] | null,
): LevelChoice | null {
  const { config } = known;
  if (config === null) return null;
  const { value, where } = heldModel(known, scope);
  const { selection: effective } = config;
  const { model_id = null, provider_id = null } = where === scope ? (value ?? {}) : {};
  const own = model_id === null || provider_id === null ? null : { provider_id, model_id };
  const isOther =
    own !== null && (own.model_id !== effective.model_id || own.provider_id !== effective.provider_id);
  const offered = isOther ? levelsOf(own) : null;
  return {
    levels: offered ?? config.available_thinking_levels,
    present:
      heldLevel(known, scope).value?.thinking_level ??
      (config.layers === undefined ? config.configured_thinking_level : 'default'),
    selection: offered === null ? null : own,
  };
}
