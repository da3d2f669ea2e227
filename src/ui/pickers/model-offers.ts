/** The models of a provider as offers; whoever cannot answer, and a list that is old or missing, says what to press. */
import type { CatalogProvider } from '../../store/catalog.ts';
import type { ModelEntry } from '../../wire/catalog.ts';
import type { Selection } from '../../wire/config.ts';
import { keyName } from '../keys/bindings.ts';
import type { Offer } from './picker.ts';

export const PLAIN = { reason: '', isCurrent: false, isBold: false } as const;

export function readyFirst(providers: readonly CatalogProvider[]): readonly CatalogProvider[] {
  return providers.toSorted((left, right) => Number(left.reason !== '') - Number(right.reason !== ''));
}

export function providerOffers(provider: CatalogProvider, offerOf: (model: ModelEntry) => Offer): Offer[] {
  const { id, label, list, models, reason } = provider;
  const key = `provider ${id}`;
  const renews = { kind: 'refresh', providerId: id } as const;
  if (reason !== '')
    return [
      { ...PLAIN, key, label, detail: '', reason: `${reason}: ${keyName('chat.login')}`, does: renews },
    ];
  const offers = models.map(offerOf);
  if (list === 'fresh' && models.length > 0) return offers;
  const detail =
    list === 'stale' ? 'its list is old: Enter has it read again' : 'no models are known: Enter asks';
  return [...offers, { ...PLAIN, key, label, detail, does: renews }];
}

/** Chosen for the session that is open. */
export function modelOffer(
  { label: provider, list }: CatalogProvider,
  model: ModelEntry,
  selection: Selection | null,
): Offer {
  const { available, context_window: window, label, model_id, provider_id } = model;
  const facts = [provider, ...(window === null ? [] : [`${windowSize(window)} window`])];
  return {
    ...PLAIN,
    key: `model ${provider_id} ${model_id}`,
    label: label === '' ? model_id : label,
    detail: facts.join(' · '),
    reason: list === 'stale' ? 'its list is old' : available ? '' : 'switched off',
    isCurrent: selection?.provider_id === provider_id && selection.model_id === model_id,
    does: { kind: 'change', change: { selection: { provider_id, model_id } } },
  };
}

/** `200k`, `1M`, `1.5M` tokens. */
export function windowSize(tokens: number): string {
  return tokens < 1_000_000 ? `${Math.round(tokens / 1000)}k` : `${Math.round(tokens / 100_000) / 10}M`;
}
