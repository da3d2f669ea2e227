/** What the next turn of the open session will run with, and who decided that: never what was merely saved. */
import { decidingLayer, hiddenBy } from '../../store/saved-settings.ts';
import { layerWords } from '../../store/settings-words.ts';
import type { State } from '../../store/state.ts';
import type { ConfigProjection, Selection } from '../../wire/config.ts';
import { keyName } from '../keys/bindings.ts';
import { isFast, nowInForce } from '../pickers/offers.ts';
import { levelLabel } from '../pickers/words.ts';

export interface NextTurn {
  /** `provider/model · level`; empty while it is not known. */
  readonly what: string;
  /** Whole sentences. */
  readonly why: readonly string[];
  /** Something stands in its way, or counts more than what is saved. */
  readonly tone: 'plain' | 'warn';
}

export function nextTurn(state: State): NextTurn {
  const now = nowInForce(state);
  if (now.selection === null || state.config === null) return { what: '', why: [], tone: 'plain' };
  const { model_id, provider_id } = now.selection;
  const fast = isFast(state) ? ' · fast' : '';
  const trouble = troubleOf(state, now.selection);
  const why = [
    ...(trouble === '' ? [] : [trouble]),
    ...decision(state),
    ...(now.refusedLevel === null
      ? []
      : [`“${levelLabel(now.refusedLevel)}” is saved, and this model does not offer it.`]),
    ...(state.live === null ? [] : ['The turn that runs keeps what it began with.']),
  ];
  const isForeign = trouble !== '' || decidingLayer(state.config) === 'environment';
  return {
    what: `${provider_id}/${model_id} · ${levelLabel(now.thinkingLevel)}${fast}`,
    why,
    tone: isForeign || now.refusedLevel !== null ? 'warn' : 'plain',
  };
}

/** Why it may not answer, as far as the lists tell; empty where nothing is known against it. */
function troubleOf({ catalog }: State, { model_id, provider_id }: Selection): string {
  const provider = catalog.providers.find(({ id }) => id === provider_id);
  if (provider === undefined)
    return catalog.providers.length === 0
      ? ''
      : `There is no provider ${provider_id}: Enter on “Provider” lists those that are.`;
  if (provider.reason !== '')
    return `It cannot answer: ${provider.reason}. ${keyName('chat.login')} signs in or saves a key.`;
  const isListed = provider.models.some((model) => model.model_id === model_id);
  if (provider.list !== 'fresh' || isListed) return '';
  return `${provider.label} does not list this model: Enter on “Model” lists those that it has.`;
}

/** A service that does not say who decides: what was saved in this window shows that something above it does. */
function hidden(state: State, config: ConfigProjection): string[] {
  const { here } = state.settings;
  const scope = here.project === undefined ? 'global' : 'project';
  const { model_id = null, provider_id = null } = here[scope] ?? {};
  if (model_id === null || provider_id === null) return [];
  const above = hiddenBy(scope, { selection: { model_id, provider_id } }, config);
  const who = above.map((layer) => layerWords(layer, state)).join(' or ');
  return who === '' ? [] : [`Decided by ${who}, not by what was saved here.`];
}

function decision(state: State): string[] {
  const { choices, config } = state;
  if ((choices.pending?.selection ?? choices.selection) !== null)
    return [`This session chose its model itself: ${keyName('chat.model')} changes that.`];
  if (config === null) return [];
  const layer = decidingLayer(config);
  if (layer === undefined) return hidden(state, config);
  if (layer === null)
    return ['Nothing is saved: who has a key in the environment, or is signed in, answers.'];
  const words = layerWords(layer, state);
  return [layer === 'environment' ? `Decided by ${words}, whatever is saved.` : `Decided by ${words}.`];
}
