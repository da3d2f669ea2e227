/** What the lists of the settings screen offer: who answers, with which model, and how much it thinks, from now on. */
import type { Catalog, CatalogProvider } from '../../store/catalog.ts';
import type { State } from '../../store/state.ts';
import { modelOffer, PLAIN, providerOffers, readyFirst, signInWords } from './model-offers.ts';
import type { Offer } from './picker.ts';

type Known = Pick<State, 'catalog' | 'config'>;

/** Who is not ready leads to signing in, the others to their models. */
export function savedProviderOffers({ catalog, config }: Known): Offer[] {
  return readyFirst(catalog.providers).map(({ id, label, list, models, reason }) => ({
    ...PLAIN,
    key: id,
    label,
    owner: id,
    detail: reason === '' ? worthOf(list, models.length) : signInWords(reason),
    isCurrent: config?.selection.provider_id === id,
    does: reason === '' ? { kind: 'models', providerId: id } : { kind: 'sign-in', providerId: id },
  }));
}

function worthOf(list: CatalogProvider['list'], count: number): string {
  const models = count === 1 ? '1 model' : `${count} models`;
  if (list === 'stale') return `${models}, its list is old`;
  return list === 'unavailable' ? 'its models are not known yet' : models;
}

/** @param providerId whose models; null for all */
export function savedModelOffers({ catalog, config }: Known, providerId: string | null): Offer[] {
  const selection = config?.selection ?? null;
  return readyFirst(of(catalog, providerId)).flatMap((provider) =>
    providerOffers(provider, (model) => {
      const { model_id, provider_id } = model;
      return {
        ...modelOffer(provider, model, selection),
        does: { kind: 'save', change: { selection: { provider_id, model_id } } },
      };
    }),
  );
}

function of({ providers }: Catalog, providerId: string | null): readonly CatalogProvider[] {
  return providerId === null ? providers : providers.filter(({ id }) => id === providerId);
}
