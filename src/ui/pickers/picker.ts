/** A short list over the chat, to choose what a session works with. What it offers is made from the state. */
import fuzzysort from 'fuzzysort';
import type { SettingsChange } from '../../store/saved-settings.ts';
import type { ConfigureRequest } from '../../wire/session-protocol.ts';
import { EMPTY_BUFFER, type TextBuffer } from '../composer/text-buffer.ts';

/** Those that begin with `saved` change the settings, the others what the open session works with. */
export type PickerKind = 'model' | 'thinking' | 'permission' | 'choices' | 'saved-provider' | 'saved-model';

export interface Picker {
  readonly kind: PickerKind;
  /** What the offers are narrowed by. */
  readonly field: TextBuffer;
  /** The chosen offer; null for the one that holds now, or the best match once something is typed. */
  readonly selected: string | null;
  /** Whose models are offered; null for those of all. */
  readonly providerId: string | null;
}

export interface Offer {
  /** Unique in its list. */
  readonly key: string;
  readonly label: string;
  /** As commands and files name it; empty where the label says it or nothing does. */
  readonly id: string;
  /** Whose it is, as commands and files name them; empty for nobody's. */
  readonly owner: string;
  readonly detail: string;
  /** Why it cannot be chosen; empty when it can. */
  readonly reason: string;
  /** Holds now. */
  readonly isCurrent: boolean;
  /** Not to be chosen lightly. */
  readonly isBold: boolean;
  readonly does: OfferAction;
}

export type OfferAction =
  | { readonly kind: 'change'; readonly change: ConfigureRequest }
  /** Has a provider's list fetched anew. */
  | { readonly kind: 'refresh'; readonly providerId: string }
  | { readonly kind: 'open'; readonly picker: PickerKind }
  /** Changes the settings. */
  | { readonly kind: 'save'; readonly change: SettingsChange }
  /** Goes on to the models of a provider. */
  | { readonly kind: 'models'; readonly providerId: string }
  /** Goes to where a provider is signed in to. */
  | { readonly kind: 'sign-in'; readonly providerId: string };

export function pickerOf(kind: PickerKind, providerId: string | null = null): Picker {
  return { kind, field: EMPTY_BUFFER, selected: null, providerId };
}

/** Like ones as people count: `slow-2` before `slow-10`. */
const NATURALLY = new Intl.Collator('en', { numeric: true });

/** Offers that match what was typed by name, ID or owner, the best first; all of them in their order while nothing was. */
export function matching(offers: readonly Offer[], query: string): readonly Offer[] {
  const words = query.trim();
  if (words === '') return offers;
  return fuzzysort
    .go(words, offers, { keys: ['label', 'detail', nameOf] })
    .toSorted((one, other) => other.score - one.score || NATURALLY.compare(one.obj.label, other.obj.label))
    .map(({ obj }) => obj);
}

/** `anthropic/claude-haiku-4-5`, as the header and the settings say it. */
function nameOf({ id, label, owner }: Offer): string {
  return owner === '' ? id : `${owner}/${id || label}`;
}

/** The place of the chosen offer among those shown; 0 where there are none. */
export function chosenOffer(offers: readonly Offer[], { field, selected }: Picker): number {
  const chosen = offers.findIndex(({ key }) => key === selected);
  if (chosen >= 0) return chosen;
  const current = field.text.trim() === '' ? offers.findIndex(({ isCurrent }) => isCurrent) : 0;
  return Math.max(0, current);
}
