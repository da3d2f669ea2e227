/** What each list offers, made from what is known of the session and of those who could answer. */
import { type CatalogProvider, levelsOf } from '../../store/catalog.ts';
import { type InForce, inForce } from '../../store/session-choices.ts';
import type { State } from '../../store/state.ts';
import type { ModelEntry } from '../../wire/catalog.ts';
import type { PermissionMode } from '../../wire/session-protocol.ts';
import { keyName } from '../keys/bindings.ts';
import type { Offer, PickerKind } from './picker.ts';
import { levelWords, MODES } from './words.ts';

type Known = Pick<State, 'catalog' | 'choices' | 'config' | 'telling'>;

/** What the next turn of the open session works with. */
export function nowInForce(state: Known): InForce {
  return inForce(state.choices, state.config, (selection) => levelsOf(state, selection));
}

export function offersOf(kind: PickerKind, state: Known): readonly Offer[] {
  const now = nowInForce(state);
  switch (kind) {
    case 'model':
      return readyFirst(state.catalog.providers).flatMap((provider) => providerOffers(provider, now));
    case 'thinking':
      return levelOffers(state, now);
    case 'permission':
      return Object.entries(MODES).map(([mode, words]) => modeOffer(mode as PermissionMode, words, now));
    case 'choices':
      return summary(state, now);
  }
}

function readyFirst(providers: readonly CatalogProvider[]): readonly CatalogProvider[] {
  return providers.toSorted((left, right) => Number(left.reason !== '') - Number(right.reason !== ''));
}

const PLAIN = { reason: '', isCurrent: false, isBold: false } as const;

function providerOffers(provider: CatalogProvider, now: InForce): Offer[] {
  const { id, label, list, models, reason } = provider;
  const key = `provider ${id}`;
  const renews = { kind: 'refresh', providerId: id } as const;
  if (reason !== '')
    return [
      { ...PLAIN, key, label, detail: '', reason: `${reason}: ${keyName('chat.providers')}`, does: renews },
    ];
  const offers = models.map((model) => modelOffer(provider, model, now));
  if (list === 'fresh' && models.length > 0) return offers;
  const detail =
    list === 'stale' ? 'its list is old: Enter has it read again' : 'no models are known: Enter asks';
  return [...offers, { ...PLAIN, key, label, detail, does: renews }];
}

function modelOffer({ label: provider, list }: CatalogProvider, model: ModelEntry, now: InForce): Offer {
  const { available, context_window: window, label, model_id, provider_id } = model;
  const facts = [provider, ...(window === null ? [] : [`${windowSize(window)} window`])];
  const isCurrent = now.selection?.provider_id === provider_id && now.selection.model_id === model_id;
  const reason = list === 'stale' ? 'its list is old' : available ? '' : 'not available';
  return {
    ...PLAIN,
    key: `model ${provider_id} ${model_id}`,
    label: label === '' ? model_id : label,
    detail: facts.join(' · '),
    reason,
    isCurrent,
    does: { kind: 'change', change: { selection: { provider_id, model_id } } },
  };
}

/** `200k`, `1M`, `1.5M` tokens. */
function windowSize(tokens: number): string {
  return tokens < 1_000_000 ? `${Math.round(tokens / 1000)}k` : `${Math.round(tokens / 100_000) / 10}M`;
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

/** `x_high` is for machines. */
export function levelLabel(level: string): string {
  return level.replaceAll('_', ' ');
}

function modeOffer(
  mode: PermissionMode,
  { sentence, short }: (typeof MODES)[PermissionMode],
  now: InForce,
): Offer {
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

function summary({ telling }: Known, now: InForce): Offer[] {
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
  const mode = MODES[now.permissionMode];
  return [
    ...lines,
    {
      ...PLAIN,
      key: 'permission',
      label: 'Permission',
      detail: `${mode.short} · ${mode.sentence}`,
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
