/** What only this window knows of the sign-in screen. Invariant: the field is emptied as soon as its text is sent. */
import type { Row } from '../../render/row.ts';
import type { ProviderAuth } from '../../wire/auth.ts';
import { EMPTY_BUFFER, type TextBuffer } from '../composer/text-buffer.ts';

export interface LoginView {
  /** The screen from which it was opened. */
  readonly back: 'chat' | 'settings';
  /** Entry of the list of providers, unless one is named. */
  readonly selected: number;
  /** The provider for which the screen was opened, until another entry is gone to; null for none. */
  readonly aim: string | null;
  /** The first row that was scrolled to; null: what matters is in sight by itself. */
  readonly top: number | null;
  /** Whether this program can save keys: some services keep theirs by themselves. */
  readonly savesKeys: boolean;
  /** Where typed letters go: to the keys of the screen, or into the field. */
  readonly focus: 'keys' | 'field';
  /** The final address or code, never shown. */
  readonly field: TextBuffer;
  /** The field holds one paste and nothing else: the next one stands in its place. */
  readonly isPasted: boolean;
  /** The link as a code for a phone, ready to show; null when it is not shown. */
  readonly qr: readonly Row[] | null;
  /** The provider that would be signed out of, waiting for a yes; null for none. */
  readonly leaving: string | null;
  /** How a provider is signed in to that takes a key; empty for nothing. */
  readonly howTo: string;
}

export const INITIAL_LOGIN: LoginView = {
  back: 'chat',
  selected: 0,
  aim: null,
  top: null,
  savesKeys: false,
  focus: 'keys',
  field: EMPTY_BUFFER,
  isPasted: false,
  qr: null,
  leaving: null,
  howTo: '',
};

/** The place of the chosen entry; 0 where there is none. */
export function selectedAt(providers: readonly ProviderAuth[] | null, { aim, selected }: LoginView): number {
  const aimed = providers?.findIndex(({ provider_id }) => provider_id === aim) ?? -1;
  return aimed >= 0 ? aimed : Math.max(0, Math.min(selected, (providers?.length ?? 0) - 1));
}

export function selectedProvider(
  providers: readonly ProviderAuth[] | null,
  login: LoginView,
): ProviderAuth | undefined {
  return providers?.[selectedAt(providers, login)];
}

/** What the wire takes as an answer by hand, bytes (PROTOCOL.md, "Authentication"). */
const MAX_ANSWER_BYTES = 4_096;

/** Why the text cannot be sent; null when it can. */
export function unfitAnswer(text: string): string | null {
  if (text === '') return 'Paste the final address or the code first.';
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > MAX_ANSWER_BYTES)
    return `That is too long for an address or a code (${bytes} bytes of ${MAX_ANSWER_BYTES}).`;
  return text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text)
    ? null
    : 'That has characters that no address has.';
}
