/** What people are told about a sign-in: a sentence for every state and every end, and what to do next. */
import type { LoginTerminal, ProviderAuth } from '../wire/auth.ts';
import type { SignInEnd, SignInState, Stage } from './sign-in.ts';

export interface Words {
  readonly sentence: string;
  /** What to do; empty when there is nothing to do. */
  readonly next: string;
}

const TERMINALS: Readonly<Record<LoginTerminal['state'], Words>> = {
  exchange_succeeded: { sentence: 'You are signed in.', next: '' },
  cancelled: { sentence: 'The sign-in was cancelled.', next: 'Start it again when you like.' },
  callback_timeout: {
    sentence: 'The five minutes are over and no browser came back.',
    next: 'Start again, and open the link at once.',
  },
  callback_failed: {
    sentence: 'What came back does not belong to this sign-in, or the sign-in page refused it.',
    next: 'Start again, and take the address or the code from the new link.',
  },
  exchange_failed: {
    sentence:
      'The code could not be exchanged for a sign-in: it was not the code of this link, or the sign-in page was not reached.',
    next: 'Check the network, then start again; if you paste, take the whole address or code of the new link.',
  },
  auth_changed: {
    sentence: 'Somebody signed in or out meanwhile; nothing was changed by this sign-in.',
    next: 'Look at the list of providers; start again if it is not as you want it.',
  },
  storage_failed: {
    sentence: 'The sign-in succeeded but could not be saved.',
    next: 'Check free space and rights of the state folder, then start again.',
  },
  internal_error: { sentence: 'The service could not go on.', next: 'Start again; its log says more.' },
};

export function endWords(end: SignInEnd): Words {
  switch (end.kind) {
    case 'terminal':
      return TERMINALS[end.state];
    case 'refused':
      return { sentence: end.sentence, next: end.next };
    case 'looked-up':
      return end.found === 'signed-in'
        ? { sentence: 'The link was lost on the way, but you are signed in.', next: '' }
        : { sentence: 'The link was lost, and you are not signed in.', next: 'Start again.' };
  }
}

/** Whether the next step after this end is to sign in again; who changed something meanwhile is looked at first. */
export function startsAgain(end: SignInEnd): boolean {
  const isOthers = end.kind === 'terminal' && end.state === 'auth_changed';
  return endWords(end).next !== '' && !isOthers;
}

const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  starting: 'asking the service',
  started: 'preparing the link',
  authorization_url: 'the link is ready',
  waiting: 'waiting for your browser',
  callback_received: 'an answer has come',
  callback_accepted: 'exchanging the code',
};

/** What happens now, in a few words. */
export function stageWords({ cancelling, lost, pasted, stage }: SignInState): string {
  if (lost) return 'the link to the service is lost; what became of the sign-in is looked up';
  if (cancelling) return 'cancelling';
  if (pasted !== 'no' && (stage === 'authorization_url' || stage === 'waiting'))
    return 'checking what you pasted';
  return STAGE_WORDS[stage];
}

/** Method, source and readiness of a provider as people read it. */
export function providerWords({ auth_method, readiness, source }: ProviderAuth): string {
  if (readiness === 'needs_login') return 'the sign-in has run out: sign in again';
  if (readiness === 'missing') return auth_method === 'oauth' ? 'not signed in' : 'no key';
  if (auth_method === 'none') return 'ready, needs no key';
  if (source === 'environment') return 'ready, key from the environment';
  return auth_method === 'oauth' ? 'signed in' : 'ready, saved key';
}

/** What signing out does not do. */
export const LOGOUT_LIMITS =
  'Keys in the environment stay, nothing is revoked at the vendor, and a running turn keeps what it has.';
