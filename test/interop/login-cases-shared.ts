/**
 * Sign-ins that can be driven with both services: all that needs no answer of the vendor.
 * Where magi-code comes to something else, the case says why.
 */
import { NOTHING } from './login-act.ts';
import { CANCELLED, comesTo, FAILED, type SharedCase, WAITING } from './login-case.ts';

export const SHARED: readonly SharedCase[] = [
  {
    name: 'status before anything',
    play: async (act) => void (await act.initiator()),
    embedded: comesTo(NOTHING, NOTHING),
  },
  { name: 'started: address, then waiting', play: (act) => act.begin(), embedded: WAITING },
  {
    name: 'started for a provider that takes a key',
    play: (act) => act.start(undefined, 'anthropic'),
    embedded: comesTo(NOTHING, NOTHING, 'provider_unavailable'),
  },
  {
    name: 'cancelled right behind the start',
    play: async (act) => {
      await act.start();
      await act.cancel();
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED),
  },
  {
    name: 'cancelled while it waits',
    play: async (act) => {
      await act.begin();
      await act.cancel();
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED),
  },
  {
    name: 'cancelled again, and answered, after the end',
    play: async (act) => {
      await act.begin();
      await act.cancel();
      await act.ended();
      await act.cancel();
      await act.answer('code');
    },
    embedded: comesTo('cancelled', CANCELLED, 'unknown_login, unknown_login'),
  },
  {
    name: 'cancelled during the exchange',
    around: { issuer: 'silent' },
    play: async (act) => {
      await act.begin();
      await act.answer(await act.comeBack());
      await act.hears('callback_accepted');
      await act.cancel();
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED),
    magiCode: {
      comesTo: comesTo('cancelled (late)', CANCELLED),
      because: 'there the exchange ends within its bound of 30 s, and only then the sign-in',
    },
  },
  {
    name: 'begun again after a cancellation',
    play: async (act) => {
      await act.begin();
      await act.cancel();
      await act.ended();
      await act.begin(await act.open());
    },
    embedded: WAITING,
  },
  {
    name: 'by hand: wrong state',
    play: async (act) => {
      await act.begin();
      await act.answer(await act.comeBack({ state: 'wrong' }));
      await act.ended();
    },
    embedded: comesTo('callback_failed', FAILED),
  },
  {
    name: 'by hand: access denied',
    play: async (act) => {
      await act.begin();
      await act.answer(await act.comeBack({ error: 'access_denied' }));
      await act.ended();
    },
    embedded: comesTo('callback_failed', FAILED),
  },
  {
    name: 'by hand: nothing, then too much',
    play: async (act) => {
      await act.begin();
      await act.answer('');
      await act.answer('x'.repeat(4_097));
    },
    embedded: comesTo('waiting', 'accepted', 'invalid_payload, invalid_payload'),
  },
  {
    name: 'by hand: twice at once',
    play: async (act) => {
      await act.begin();
      await act.answerTwice(await act.comeBack({ state: 'wrong' }));
      await act.ended();
    },
    embedded: comesTo('callback_failed', FAILED, 'auth_busy'),
  },
  {
    name: 'by hand: a code, and nobody to exchange it',
    around: { issuer: 'away' },
    play: async (act) => {
      await act.begin();
      await act.answer('invented');
      await act.ended();
    },
    embedded: comesTo('exchange_failed', FAILED),
  },
  {
    name: 'browser: wrong state, then cancelled',
    play: async (act) => {
      await act.begin();
      await act.browse(await act.comeBack({ state: 'wrong' }));
      await act.cancel();
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED, 'page 4xx'),
  },
  {
    name: 'browser: access denied',
    play: async (act) => {
      await act.begin();
      await act.browse(await act.comeBack({ error: 'access_denied' }));
      await act.ended();
    },
    embedded: comesTo('callback_failed', FAILED, 'page 4xx'),
  },
  {
    name: 'browser: a code, and nobody to exchange it',
    around: { issuer: 'away' },
    play: async (act) => {
      await act.begin();
      await act.browse(await act.comeBack());
      await act.ended();
    },
    embedded: comesTo('exchange_failed', FAILED, 'page 2xx'),
  },
  {
    name: 'callback port taken, then cancelled',
    around: { portTaken: true },
    play: async (act) => {
      await act.begin();
      await act.cancel();
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED),
  },
  {
    name: 'second start of the same client',
    play: async (act) => {
      await act.begin();
      await act.start();
    },
    embedded: comesTo('waiting', 'accepted', 'auth_busy'),
  },
  {
    name: 'second start of another client',
    play: async (act) => {
      await act.begin();
      await act.start(await act.open());
    },
    embedded: comesTo('waiting', 'accepted', 'auth_busy'),
  },
  {
    name: 'another client answers, then cancels',
    play: async (act) => {
      await act.begin();
      const other = await act.open();
      await act.answer('code', other);
      await act.cancel(other);
    },
    embedded: comesTo('waiting', 'accepted', 'unknown_login, unknown_login'),
  },
  {
    name: 'client killed while it waits; another one looks it up',
    play: async (act) => {
      await act.begin();
      await act.leave();
      await act.ended();
    },
    embedded: comesTo('waiting', CANCELLED),
  },
  {
    name: 'client killed; another one begins',
    play: async (act) => {
      await act.begin();
      await act.leave();
      await act.ended();
      await act.begin(await act.open());
    },
    embedded: WAITING,
  },
  {
    name: 'logout unconfirmed',
    play: (act) => act.logout(false),
    embedded: comesTo(NOTHING, NOTHING, 'confirmation_required'),
  },
  {
    name: 'logout where nobody is signed in',
    play: (act) => act.logout(true),
    embedded: comesTo(NOTHING, NOTHING, 'removed: false'),
  },
  {
    name: 'logout by another client while it waits',
    play: async (act) => {
      await act.begin();
      await act.logout(true);
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED, 'removed: false'),
  },
  {
    name: 'logout unconfirmed while it waits',
    play: async (act) => {
      await act.begin();
      await act.logout(false);
    },
    embedded: comesTo('waiting', 'accepted', 'confirmation_required'),
  },
];
