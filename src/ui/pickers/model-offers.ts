/** The models of a provider as offers; whoever cannot answer, and a list that is old or missing, says what to press. */
import type { CatalogProvider } from '../../store/catalog.ts';
import type { ModelEntry } from '../../wire/catalog.ts';
import type { Selection } from '../../wire/config.ts';
import { keyName } from '../keys/bindings.ts';
import type { Offer } from './picker.ts';

export const PLAIN = { id: '', owner: '', reason: '', isCurrent: false, isBold: false } as const;

export function readyFirst(providers: readonly CatalogProvider[]): readonly CatalogProvider[] {
  return providers.toSorted((left, right) => Number(left.reason !== '') - Number(right.reason !== ''));
}

export function providerOffers(provider: CatalogProvider, offerOf: (model: ModelEntry) => Offer): Offer[] {
  const { id, label, list, models, reason } = provider;
  const head = { ...PLAIN, key: `provider ${id}`, label, owner: id };
  if (reason !== '')
    return [{ ...head, detail: signInWords(reason), does: { kind: 'sign-in', providerId: id } }];
  const offers = models.map(offerOf);
  if (list === 'fresh' && models.length > 0) return offers;
  const detail =
    list === 'stale' ? 'its list is old: Enter has it read again' : 'no models are known: Enter asks';
  return [...offers, { ...head, detail, does: { kind: 'refresh', providerId: id } }];
}

/** What the entry of a provider says that cannot answer: it leads to where that is changed. */
export function signInWords(reason: string): string {
  return `${reason}: ${keyName('picker.accept')} opens “Sign in”`;
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
    id: label === '' || label === model_id ? '' : model_id,
    owner: provider_id,
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
