/** What each list offers, made from what is known of the session and of those who could answer. */
import { levelsOf } from '../../store/catalog.ts';
import { type InForce, inForce } from '../../store/session-choices.ts';
import type { State } from '../../store/state.ts';
import type { PermissionMode } from '../../wire/session-protocol.ts';
import { modelOffer, PLAIN, providerOffers, readyFirst } from './model-offers.ts';
import type { Offer, Picker } from './picker.ts';
import { savedModelOffers, savedProviderOffers } from './saved-offers.ts';
import { levelLabel, levelWords, MODES, modeWords } from './words.ts';

type Known = Pick<State, 'catalog' | 'choices' | 'config' | 'telling'>;

/** What the next turn of the open session works with. */
export function nowInForce(state: Known): InForce {
  return inForce(state.choices, state.config, (selection) => levelsOf(state, selection));
}

/** Whether who answers has a fast mode; null where the service does not say. */
export function hasFast(state: Known): boolean | null {
  const { selection } = nowInForce(state);
  const providers = state.config?.fast_providers;
  return providers === undefined || selection === null ? null : providers.includes(selection.provider_id);
}

/** Whether the fast mode is on and means something; a service that does not say is believed. */
export function isFast(state: Known): boolean {
  return state.config?.fast === true && hasFast(state) !== false;
}

export function offersOf(
  { kind, providerId }: Pick<Picker, 'kind' | 'providerId'>,
  state: Known,
): readonly Offer[] {
  const now = nowInForce(state);
  switch (kind) {
    case 'model':
      return readyFirst(state.catalog.providers).flatMap((provider) =>
        providerOffers(provider, (model) => modelOffer(provider, model, now.selection)),
      );
    case 'thinking':
      return levelOffers(state, now);
    case 'permission':
      return Object.keys(MODES).map((mode) => modeOffer(mode as PermissionMode, state, now));
    case 'choices':
      return summary(state, now);
    case 'saved-provider':
      return savedProviderOffers(state);
    case 'saved-model':
      return savedModelOffers(state, providerId);
  }
}

function levelOffers(state: Known, now: InForce): Offer[] {
  const levels = now.selection === null ? null : levelsOf(state, now.selection);
  return (levels ?? []).map((level) => ({
    ...PLAIN,
    key: level,
    label: levelLabel(level),
    detail: levelWords(level),
    isCurrent: level === now.thinkingLevel,
    does: { kind: 'change', change: { thinking_level: level } },
  }));
}

function modeOffer(mode: PermissionMode, { config }: Known, now: InForce): Offer {
  const { sentence, short } = modeWords(mode, config?.unasked);
  return {
    ...PLAIN,
    key: mode,
    label: short,
    detail: sentence,
    isCurrent: mode === now.permissionMode,
    isBold: mode === 'bypassPermissions',
    does: { kind: 'change', change: { permission_mode: mode } },
  };
}

function summary({ config, telling }: Known, now: InForce): Offer[] {
  const model = now.selection === null ? '' : `${now.selection.provider_id}/${now.selection.model_id}`;
  const lines: Offer[] = [
    { ...PLAIN, key: 'model', label: 'Model', detail: model, does: { kind: 'open', picker: 'model' } },
    {
      ...PLAIN,
      key: 'thinking',
      label: 'Thinking',
      detail: levelLabel(now.thinkingLevel),
      does: { kind: 'open', picker: 'thinking' },
    },
  ];
  if (telling !== 'envelopes') return lines;
  const mode = modeWords(now.permissionMode, config?.unasked);
  return [
    ...lines,
    {
      ...PLAIN,
      key: 'permission',
      label: 'Permission',
      detail: mode.short,
      isBold: now.permissionMode === 'bypassPermissions',
      does: { kind: 'open', picker: 'permission' },
    },
    {
      ...PLAIN,
      key: 'sandbox',
      label: 'Sandbox',
      detail: now.sandbox ? 'on: commands are confined to this folder' : 'off: commands run as you',
      does: { kind: 'change', change: { sandbox: !now.sandbox } },
    },
  ];
}
