/** `config` for another service: what goes over the wire of its settings (PROTOCOL.md, "Configuration"). */
import type { Connection } from '../../client/connection.ts';
import { WireFailure } from '../../client/failure.ts';
import { thinkingLevel } from '../../wire/catalog.ts';
import type { ConfigProjection } from '../../wire/config.ts';
import type { RequestPayload } from '../../wire/operations.ts';
import { connected } from '../connected.ts';
import { EXIT, type GlobalFlags, UsageError } from '../flags.ts';
import type { Wish } from './file.ts';
import { readModel } from './model-reading.ts';
import { type Format, fail, noFastWords, printAll, printOne, tell } from './print.ts';
import { SCOPE_WORDS, type Setting, type SettingValue, scopeOf } from './setting.ts';
import { settingNamed } from './setting-list.ts';

/** Prints what counts: one setting, or all of the wire. Returns the exit code. */
export function getOverWire(flags: GlobalFlags, asked: Setting | null, format: Format): Promise<number> {
  return connected(flags, async (connection) => {
    const config = await connection.request('config.get', {});
    const values = effectiveValues(config);
    if (asked !== null) printOne({ setting: asked, value: values[asked.name] }, format);
    else {
      const all = Object.entries(values).map(([name, value]) => ({ setting: settingNamed(name), value }));
      printAll(all, format);
    }
    const { configured_thinking_level: saved, thinking_level: counts } = config;
    if (saved !== counts && (asked === null || asked.name === 'thinkingLevel'))
      tell(`thinkingLevel: ${saved} is saved, and the model does not offer it: it thinks at ${counts}.`);
    return EXIT.ok;
  });
}

function effectiveValues(config: ConfigProjection): Readonly<Record<string, SettingValue>> {
  return {
    provider: config.selection.provider_id,
    model: config.selection.model_id,
    thinkingLevel: config.thinking_level,
    fast: config.fast,
  };
}

/** Saves one setting there, and says what counts then. Returns the exit code. @throws UsageError */
export function setOverWire(flags: GlobalFlags, wish: Wish): Promise<number> {
  const { setting } = wish;
  if (setting.name === 'provider')
    throw new UsageError(
      'another service takes a provider together with its model: magi-term config set model PROVIDER/MODEL.',
    );
  const scope = scopeOf(setting, wish.scope);
  return connected(flags, async (connection) => {
    const before = await connection.request('config.get', {});
    const change = { scope, ...(await changeOf(connection, wish, before)) };
    try {
      const { effective } = await connection.request('config.set', change);
      const holds = change.fast === true ? fastWords(setting, effective) : 'It holds from the next turn on.';
      tell(`Saved ${SCOPE_WORDS[scope]}. ${comeTo(change, effective) ?? holds}`);
      if (change.selection !== undefined && isReset(before, effective))
        tell(
          `thinkingLevel was ${before.configured_thinking_level} and is default again: every model begins with it.`,
        );
      return EXIT.ok;
    } catch (error) {
      const next = error instanceof WireFailure ? NEXT[error.code] : undefined;
      if (!(error instanceof WireFailure) || next === undefined) throw error;
      return fail(`${error.sentence} ${next}`);
    }
  });
}

/** What the fast mode comes to; in general where the service does not say whose models have it. */
function fastWords({ holds }: Setting, { fast_providers: fast, selection }: ConfigProjection): string {
  return fast === undefined || fast.includes(selection.provider_id)
    ? holds
    : noFastWords(selection.provider_id);
}

/** Where the general next step is not one of the shell. */
const NEXT: Readonly<Record<string, string>> = {
  catalog_unavailable: 'Fetch it: magi-term models --refresh, for the same service.',
  catalog_stale: 'Fetch it: magi-term models --refresh, for the same service.',
  invalid_selection: 'Choose another: magi-term models lists them, for the same service.',
  unsupported_reasoning: 'magi-term models lists the levels of each model, for the same service.',
};

type ConfigChange = Omit<RequestPayload<'config.set'>, 'scope'>;

async function changeOf(
  connection: Connection,
  { provider, setting, value }: Wish,
  before: ConfigProjection,
): Promise<ConfigChange> {
  if (setting.name === 'fast') return { fast: value === true };
  if (setting.name === 'thinkingLevel') return { thinking_level: thinkingLevel.parse(value) };
  const owner = before.selection.provider_id;
  const text = String(value);
  const isPlain = provider !== null || !text.includes('/');
  const read = isPlain
    ? { providerId: provider, modelId: text }
    : await readModel(connection, text, { holder: owner, unlisted: 'refused' });
  const selection = { provider_id: read.providerId ?? owner, model_id: read.modelId };
  if (provider === null) tell(`Read as the model ${selection.model_id} of ${selection.provider_id}.`);
  return { selection };
}

/** What counts where it is something else than was asked for; null when it is that. */
function comeTo(
  { fast, selection, thinking_level }: ConfigChange,
  effective: ConfigProjection,
): string | null {
  const { model_id, provider_id } = effective.selection;
  if (selection !== undefined && (selection.model_id !== model_id || selection.provider_id !== provider_id))
    return `Something that counts more decides: ${provider_id}/${model_id}.`;
  if (thinking_level !== undefined && thinking_level !== effective.thinking_level) {
    const isOffered = effective.available_thinking_levels.includes(thinking_level);
    const why = isOffered ? 'Something that counts more decides' : 'The model in force does not offer it';
    return `${why}: ${effective.thinking_level}.`;
  }
  return fast === undefined || fast === effective.fast
    ? null
    : `Something that counts more decides: ${effective.fast}.`;
}

function isReset(before: ConfigProjection, effective: ConfigProjection): boolean {
  return before.configured_thinking_level !== 'default' && effective.configured_thinking_level === 'default';
}
