/** What people are told about settings: where they hold, what counts more, and from when on. */
import type { ConfigProjection } from '../wire/config.ts';
import type { Notice } from './notice.ts';
import { hiddenBy, type Scope, type SettingsChange } from './saved-settings.ts';
import { inForce } from './session-choices.ts';
import type { State } from './state.ts';

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  project: 'for this folder',
  global: 'for every folder',
};

type LayerName = ConfigProjection['precedence'][number];

/** Who set it, as the subject of a sentence. */
export function layerWords(layer: LayerName, { telling }: Pick<State, 'telling'>): string {
  switch (layer) {
    case 'environment': {
      const prefix = telling === 'envelopes' ? 'MAGI_TERM' : 'MC';
      return `the environment of the service (${prefix}_PROVIDER, ${prefix}_MODEL)`;
    }
    case 'project':
      return 'what is saved for this folder';
    case 'global':
      return 'what is saved for every folder';
  }
}

/** What a change came to. `before` is the state without it. */
export function savedWords(
  before: State,
  {
    change,
    effective,
    scope,
  }: {
    readonly change: SettingsChange;
    readonly effective: ConfigProjection;
    readonly scope: Scope;
  },
): Notice {
  if (change.reset !== undefined) {
    const { model_id, provider_id } = effective.selection;
    return {
      text: `Nothing of it is saved ${SCOPE_WORDS[scope]} any more: ${provider_id}/${model_id} counts.`,
      tone: 'info',
    };
  }
  const hidden = hiddenBy(scope, change, effective);
  const own = ownChoice(before, change);
  const sentences = [`Saved ${SCOPE_WORDS[scope]}.`];
  if (hidden.length > 0) sentences.push(hiddenWords(before, hidden, effective));
  else if (own !== '') sentences.push(own);
  if (resetsLevel(before.config, change, effective))
    sentences.push('Thinking is “default” again: every model begins with it.');
  if (before.live !== null && own === '' && hidden.length === 0)
    sentences.push('The running turn keeps what it began with; the next one takes it.');
  return { text: sentences.join(' '), tone: hidden.length > 0 || own !== '' ? 'warn' : 'info' };
}

function hiddenWords(state: State, hidden: readonly LayerName[], { selection }: ConfigProjection): string {
  const who = hidden.map((layer) => layerWords(layer, state)).join(' or ');
  return `It does not count yet: ${who} decides, and that is ${selection.provider_id}/${selection.model_id}.`;
}

/** The open session may have chosen for itself: then the settings change nothing for it. */
function ownChoice(state: State, { selection, thinking_level }: SettingsChange): string {
  const { choices, config } = state;
  const own = inForce(choices, config, () => null);
  const hasModel = (choices.pending?.selection ?? choices.selection) !== null;
  const hasLevel = (choices.pending?.thinking_level ?? choices.thinkingLevel) !== null;
  if (selection !== undefined && hasModel && own.selection !== null)
    return `This session keeps its own choice, ${own.selection.provider_id}/${own.selection.model_id}.`;
  if (thinking_level !== undefined && hasLevel) return 'This session keeps the level it chose for itself.';
  return '';
}

function resetsLevel(
  before: ConfigProjection | null,
  { selection, thinking_level }: SettingsChange,
  effective: ConfigProjection,
): boolean {
  if (selection === undefined || thinking_level !== undefined || before === null) return false;
  return before.configured_thinking_level !== 'default' && effective.configured_thinking_level === 'default';
}
