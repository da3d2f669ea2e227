/**
 * Settings as the wire shows and changes them, and as a turn captures them (PROTOCOL.md, "Configuration").
 * The file is read at every use: what somebody else mended or changed holds at once.
 */
import type { ModelInfo } from '../../agent/runtime.ts';
import { readSettings, type Settings, updateSettings } from '../../platform/settings.ts';
import type { ProviderAuth } from '../../wire/auth.ts';
import { type ConfigProjection, configSetRequest, type Selection } from '../../wire/config.ts';
import type { ErrorCode } from '../../wire/errors.ts';
import { selectionId } from '../../wire/fields.ts';
import type { CodexCredentials } from '../auth/codex-credentials.ts';
import { signedIn } from '../auth/signed-in.ts';
import type { Log } from '../log.ts';
import { NO_CHOICES, type SessionChoices } from '../profile/session-choices.ts';
import type { Capture } from '../turns/turns.ts';
import { type Catalog, isLevel, levelsOf, type ModelList } from './catalog.ts';
import { provenance } from './layers.ts';
import type { Provider, Providers } from './providers.ts';
import { type Choice, type Credentials, choose } from './selection.ts';

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: ErrorCode };

export interface ConfigurationOptions {
  readonly settingsFile: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  readonly providers: Providers;
  readonly catalog: Catalog;
  readonly codex: CodexCredentials;
  readonly log: Log;
}

/** A selection and a level that somebody would like. */
interface Wish {
  readonly selection?: Selection | undefined;
  readonly thinking_level?: ConfigProjection['thinking_level'] | undefined;
}

interface SetRequest extends Wish {
  readonly scope: 'global' | 'project';
  readonly fast?: boolean | undefined;
  readonly reset?: readonly ('selection' | 'thinking_level')[] | undefined;
}

/** Newest of the middle class, where a vendor's list would start elsewhere. */
const PREFERRED: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-sonnet-\d{1,2}(-\d{1,2})?$/,
  openai: /^gpt-\d+(\.\d+)?$/,
  'openai-codex': /^gpt-\d+(\.\d+)?-sol$/,
};

export class Configuration {
  readonly #options: ConfigurationOptions;
  /** What the file said when it could last be read. */
  #lastRead: Settings = {};

  constructor(options: ConfigurationOptions) {
    this.#options = options;
    this.read();
  }

  read(): Settings | null {
    const read = readSettings(this.#options.settingsFile);
    if (read.ok) {
      this.#lastRead = read.settings;
      return read.settings;
    }
    const { line, reason } = read.error;
    this.#options.log.warn('the settings cannot be used', { line, reason });
    return null;
  }

  /** Whether the chosen provider has what it needs; null when settings or credentials cannot be read. */
  authReady(): boolean | null {
    const settings = this.read();
    if (settings === null || !this.#canReadStore()) return null;
    const provider = this.#options.providers.find(settings, this.#choice(settings).providerId);
    return provider?.auth.ready ?? false;
  }

  /** Null when credentials cannot be read. */
  authStatus(): ProviderAuth[] | null {
    if (!this.#canReadStore()) return null;
    const settings = this.read() ?? this.#lastRead;
    return this.#options.providers.list(settings).map(({ auth, id }) => ({ provider_id: id, ...auth }));
  }

  /** As clients with the session profile see it: with where it comes from. */
  async projectWhole(settings: Settings): Promise<ConfigProjection> {
    const { env, workspace } = this.#options;
    const providers = this.#options.providers.list(settings);
    return { ...(await this.project(settings)), ...provenance(settings, workspace, env, providers) };
  }

  /** @param chosen what a session chose for itself */
  async project(settings: Settings, chosen: SessionChoices = NO_CHOICES): Promise<ConfigProjection> {
    const choice = this.#choice(settings, chosen);
    const provider = this.#options.providers.find(settings, choice.providerId);
    const { model, modelId } = await this.#model(provider, choice);
    const levels = levelsOf(model);
    const configured = isLevel(choice.thinkingLevel) ? choice.thinkingLevel : 'default';
    return {
      selection: { provider_id: choice.providerId, model_id: modelId },
      thinking_level: levels.includes(configured) ? configured : 'default',
      configured_thinking_level: configured,
      available_thinking_levels: levels,
      fast: settings.fast ?? false,
      precedence: ['environment', 'project', 'global'],
      writable_scopes: ['global', 'project'],
      global_only: ['fast'],
    };
  }

  /** What a turn that is accepted now works with. */
  async capture(chosen: SessionChoices): Promise<Answer<Capture>> {
    const settings = this.read();
    if (settings === null) return { ok: false, code: 'internal_error' };
    const choice = this.#choice(settings, chosen);
    const provider = await this.#options.providers.findOrProbe(settings, choice.providerId);
    if (provider === null || provider.spec === null) return { ok: false, code: 'invalid_selection' };
    await this.#options.catalog.listForTurn(provider);
    const { model, modelId } = await this.#model(provider, choice);
    const levels: readonly string[] = levelsOf(model);
    const allow = settings.workspaces?.[this.#options.workspace]?.allow;
    return {
      ok: true,
      value: {
        ...(await signedIn(provider.spec, this.#options.codex)),
        modelId,
        thinkingLevel: levels.includes(choice.thinkingLevel) ? choice.thinkingLevel : 'default',
        fast: settings.fast ?? false,
        policy: { bash: allow?.bash ?? false, writeOutside: allow?.writeOutside ?? false },
        window: model?.contextWindow ?? null,
      },
    };
  }

  /**
   * `config.set`, with its checks in the protocol's order.
   * @param view how much of the settings the client is told
   */
  async set(payload: unknown, view: 'whole' | 'ordinary'): Promise<Answer<object>> {
    const parsed = configSetRequest.safeParse(payload);
    if (!parsed.success) return { ok: false, code: 'invalid_payload' };
    const { fast, reset, scope, selection, thinking_level } = parsed.data;
    if (reset !== undefined && view === 'ordinary') return { ok: false, code: 'invalid_payload' };
    if (scope !== 'global' && scope !== 'project') return { ok: false, code: 'invalid_scope' };
    if (scope === 'project' && fast !== undefined) return { ok: false, code: 'invalid_scope' };
    if (!Object.entries(parsed.data).some(([name, value]) => name !== 'scope' && value !== undefined))
      return { ok: false, code: 'invalid_payload' };
    const request: SetRequest = { scope, selection, thinking_level, fast, reset };
    const refusal = await this.check(request, NO_CHOICES);
    if (refusal !== null) return { ok: false, code: refusal };
    const written = updateSettings(this.#options.settingsFile, (settings) => this.#change(settings, request));
    if (!written.ok) {
      this.#options.log.warn('the settings were not written', { reason: written.error.reason });
      return { ok: false, code: 'settings_write_failed' };
    }
    const { settings } = written;
    const effective = await (view === 'whole' ? this.projectWhole(settings) : this.project(settings));
    return { ok: true, value: { persisted: true, scope, effective } };
  }

  #canReadStore(): boolean {
    const read = this.#options.providers.stored();
    if (!read.ok) this.#options.log.warn('the store of credentials cannot be used', { reason: read.reason });
    return read.ok;
  }

  #choice(settings: Settings, { selection, thinkingLevel }: SessionChoices = NO_CHOICES): Choice {
    const { env, providers, workspace } = this.#options;
    const general = choose(settings, workspace, env, credentialsOf(providers));
    return {
      providerId: selection?.provider ?? general.providerId,
      modelId: selection?.model ?? general.modelId,
      thinkingLevel: thinkingLevel ?? general.thinkingLevel,
    };
  }

  async #model(
    provider: Provider | null,
    choice: Choice,
  ): Promise<{ modelId: string; model: ModelInfo | null }> {
    const { models } = provider === null ? { models: [] } : await this.#listFor(provider, choice);
    const modelId = choice.modelId ?? preferred(choice.providerId, models)?.id ?? 'default';
    return { modelId, model: models.find(({ id }) => id === modelId) ?? null };
  }

  /**
   * Where no model is named the provider's first one is meant, and where a level is, the model must offer it:
   * then the list must be known, or something else would be told than what runs.
   */
  #listFor(provider: Provider, { modelId, thinkingLevel }: Choice): Promise<ModelList> {
    const { catalog } = this.#options;
    const mustKnow = modelId === null || thinkingLevel !== 'default';
    return mustKnow ? catalog.listForTurn(provider) : catalog.list(provider);
  }

  /** Why a selection or a level cannot be used, or null. */
  async check(request: Wish, chosen: SessionChoices): Promise<ErrorCode | null> {
    const { selection, thinking_level } = request;
    if (selection !== undefined) {
      const ids = [selection.provider_id, selection.model_id];
      if (!ids.every((id) => selectionId.safeParse(id).success)) return 'invalid_selection';
    }
    const settings = this.read();
    if (settings === null) return 'settings_write_failed';
    if (selection === undefined && thinking_level === undefined) return null;
    const choice = this.#choice(settings, chosen);
    const providerId = selection?.provider_id ?? choice.providerId;
    const provider = await this.#options.providers.findOrProbe(settings, providerId);
    if (provider === null) return 'invalid_selection';
    const models = await this.#freshModels(provider);
    if (models === null) return 'catalog_unavailable';
    const modelId = selection?.model_id ?? choice.modelId ?? preferred(providerId, models)?.id;
    const model = models.find(({ id }) => id === modelId);
    if (model === undefined) return 'invalid_selection';
    return thinking_level === undefined || levelsOf(model).includes(thinking_level)
      ? null
      : 'unsupported_reasoning';
  }

  /** Fetches the list when there is none or it is old: nobody should have to ask for that first. */
  async #freshModels(provider: Provider): Promise<readonly ModelInfo[] | null> {
    const { catalog } = this.#options;
    const known = await catalog.list(provider);
    if (known.state === 'fresh_cache') return known.models;
    await catalog.refresh(provider);
    const list = await catalog.list(provider);
    return list.state === 'unavailable' ? null : list.models;
  }

  #change(settings: Settings, request: SetRequest): Settings {
    const { fast, reset = [], scope, selection, thinking_level } = request;
    const change = {
      ...(reset.includes('selection') ? { provider: undefined, model: undefined } : {}),
      ...(reset.includes('thinking_level') ? { thinkingLevel: undefined } : {}),
      ...(selection === undefined ? {} : { provider: selection.provider_id, model: selection.model_id }),
      ...(selection === undefined ? {} : { thinkingLevel: 'default' }),
      ...(thinking_level === undefined ? {} : { thinkingLevel: thinking_level }),
    };
    if (scope === 'global') return { ...settings, ...change, ...(fast === undefined ? {} : { fast }) };
    const { workspace } = this.#options;
    const own = { ...settings.workspaces?.[workspace], ...change };
    return { ...settings, workspaces: { ...settings.workspaces, [workspace]: own } };
  }
}

function credentialsOf(providers: Providers): Credentials {
  const read = providers.stored();
  const stored = read.ok ? read.auth : null;
  return {
    hasKey: (id) => stored !== null && stored.apiKey(id) !== null,
    isSignedIn: (id) => stored !== null && stored.oauth(id) !== null,
  };
}

function preferred(providerId: string, models: readonly ModelInfo[]): ModelInfo | undefined {
  const pattern = PREFERRED[providerId];
  const numeric = new Intl.Collator('en', { numeric: true });
  const matching = pattern === undefined ? [] : models.filter(({ id }) => pattern.test(id));
  return matching.sort((a, b) => numeric.compare(b.id, a.id))[0] ?? models[0];
}
