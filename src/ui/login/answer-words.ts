/** What a sign-in has changed: who answers from now on, as the settings and the open session say it. */
import type { State } from '../../store/state.ts';
import type { Selection } from '../../wire/config.ts';
import { keyName } from '../keys/bindings.ts';
import { nowInForce } from '../pickers/offers.ts';

/** One sentence after a sign-in to that provider; empty while the settings are not known. */
export function answerWords(state: State, providerId: string): string {
  const saved = state.config?.selection;
  const here = nowInForce(state).selection;
  if (saved === undefined || here === null) return '';
  if (saved.provider_id !== providerId)
    return here.provider_id === providerId
      ? `This session works with ${named(here)}; the settings still say ${named(saved)}: ${keyName('chat.settings')} chooses.`
      : `The settings still say ${named(saved)}: ${keyName('chat.settings')} chooses.`;
  return named(here) === named(saved)
    ? `From now on: ${named(saved)}.`
    : `From now on: ${named(saved)}; this session works with ${named(here)}: ${keyName('chat.model')} chooses.`;
}

function named({ model_id, provider_id }: Selection): string {
  return `${provider_id}/${model_id}`;
}
