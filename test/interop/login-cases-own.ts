/** Sign-ins that need an issuer, a clock or a store that do what the case says: the embedded service has them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthStore } from '../../src/service/auth/auth-store.ts';
import { CODEX } from '../service/auth/auth-world.ts';
import { claim, createSession, start as startTurn } from '../service/harness.ts';
import { NOTHING } from './login-act.ts';
import { CANCELLED, COMPLETED, comesTo, FAILED, type OwnCase, SUCCESS } from './login-case.ts';
import type { OwnAct } from './login-services.ts';

const VENDOR = 'the vendor';

const codeOf = (address: string): string => new URL(address).searchParams.get('code') ?? '';

async function signIn(act: OwnAct): Promise<void> {
  await act.begin();
  await act.answer(await act.agree());
  await act.ended();
}

/** A sign-in up to the issuer's answer, which is of this kind. */
const answered =
  (mood: OwnAct['world']['issuer']['token']) =>
  async (act: OwnAct): Promise<void> => {
    act.world.issuer.token = mood;
    await signIn(act);
  };

/** A sign-in that has its answer and waits for an issuer that says nothing. */
async function exchanging(act: OwnAct): Promise<void> {
  act.world.issuer.token = 'silent';
  await act.begin();
  await act.answer(await act.agree());
  await act.world.issuer.asked(1);
}

/** A turn with a token that has run out; what the agent is given is said. */
async function turnAfter(act: OwnAct, prepare: (act: OwnAct) => void | Promise<void>): Promise<void> {
  act.world.issuer.expiresIn = 0;
  await signIn(act);
  act.world.issuer.expiresIn = 3_600;
  await prepare(act);
  const client = await act.world.client();
  const held = await claim(client, await createSession(client));
  await startTurn(client, held, 'Hello');
  const { provider } = act.world.agent.last.request;
  const credential = provider.api === 'openai-codex-responses' ? provider.credential : null;
  act.say(typeof credential === 'string' ? 'turn without a token' : 'turn with a token');
  act.say(`issuer asked ${act.world.issuer.tokenRequests.length}×`);
  act.world.agent.last.complete();
  await client.event('turn.terminal');
}

function inTheWay(act: OwnAct): void {
  const folder = join(act.world.stateRoot, 'auth');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'in the way');
}

function breakStore(act: OwnAct): void {
  const folder = join(act.world.stateRoot, 'auth');
  mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(join(folder, 'auth.json'), '{ "version": 1, ', { mode: 0o600 });
}

export const OWN: readonly OwnCase[] = [
  {
    name: 'success: browser',
    play: async (act) => {
      await act.begin();
      await act.browse(await act.agree());
      await act.ended();
    },
    embedded: { ...SUCCESS, said: 'page 2xx' },
    needs: VENDOR,
  },
  { name: 'success: whole address by hand', play: signIn, embedded: SUCCESS, needs: VENDOR },
  {
    name: 'success: code alone by hand',
    play: async (act) => {
      await act.begin();
      await act.answer(codeOf(await act.agree()));
      await act.ended();
    },
    embedded: SUCCESS,
    needs: VENDOR,
  },
  {
    name: 'success: twice at once by hand, one exchange',
    play: async (act) => {
      await act.begin();
      await act.answerTwice(await act.agree());
      await act.ended();
      act.say(`issuer asked ${act.world.issuer.tokenRequests.length}×`);
    },
    embedded: { ...SUCCESS, said: 'auth_busy, issuer asked 1×' },
    needs: VENDOR,
  },
  {
    name: 'success: browser twice, one exchange',
    play: async (act) => {
      act.world.issuer.token = 'held';
      await act.begin();
      const address = await act.agree();
      await act.browse(address);
      await act.world.issuer.asked(1);
      await act.browse(address);
      act.world.issuer.release();
      await act.ended();
      act.say(`issuer asked ${act.world.issuer.tokenRequests.length}×`);
    },
    embedded: { ...SUCCESS, said: 'page 2xx, page 4xx, issuer asked 1×' },
    needs: VENDOR,
  },
  {
    name: 'success: browser with a wrong state before',
    play: async (act) => {
      await act.begin();
      await act.browse(await act.comeBack({ state: 'wrong' }));
      await act.browse(await act.agree());
      await act.ended();
    },
    embedded: { ...SUCCESS, said: 'page 4xx, page 2xx' },
    needs: VENDOR,
  },
  {
    name: 'success: callback port taken, by hand',
    around: { portTaken: true },
    play: signIn,
    embedded: SUCCESS,
    needs: VENDOR,
  },
  {
    name: 'success, then another client cancels',
    play: async (act) => {
      await signIn(act);
      await act.cancel(await act.open());
    },
    embedded: { ...SUCCESS, said: 'unknown_login' },
    needs: VENDOR,
  },
  {
    name: 'success, then logout',
    play: async (act) => {
      await signIn(act);
      await act.logout(true);
    },
    embedded: comesTo('exchange_succeeded', COMPLETED, 'removed: true'),
    needs: VENDOR,
  },
  ...(['error', 'garbage', 'huge', 'no-account', 'foreign-token'] as const).map((mood) => ({
    name: `issuer answers: ${mood}`,
    play: answered(mood),
    embedded: comesTo('exchange_failed', FAILED),
    needs: VENDOR,
  })),
  {
    name: 'issuer silent for half a minute',
    play: async (act) => {
      await exchanging(act);
      act.clock.advance(30_000);
      await act.ended();
    },
    embedded: comesTo('exchange_failed', FAILED),
    needs: 'a clock to turn',
  },
  {
    name: 'nobody answers for five minutes',
    play: async (act) => {
      await act.begin();
      act.clock.advance(299_999);
      await act.cancel(await act.open());
      act.clock.advance(1);
      await act.ended();
    },
    embedded: comesTo('callback_timeout', FAILED, 'unknown_login'),
    needs: 'a clock to turn',
  },
  {
    name: 'logout by another client during the exchange',
    play: async (act) => {
      await exchanging(act);
      await act.logout(true);
      await act.ended();
    },
    embedded: comesTo('cancelled', CANCELLED, 'removed: false'),
    needs: VENDOR,
  },
  {
    name: 'client killed during the exchange',
    play: async (act) => {
      await exchanging(act);
      await act.leave();
      await act.ended();
    },
    embedded: comesTo('callback_accepted', CANCELLED),
    needs: VENDOR,
  },
  {
    name: 'token run out: refreshed for the turn',
    play: (act) => turnAfter(act, () => undefined),
    embedded: { ...SUCCESS, said: 'turn with a token, issuer asked 2×' },
    needs: VENDOR,
  },
  {
    name: 'token run out: refresh refused',
    play: (act) =>
      turnAfter(act, ({ world }) => {
        world.issuer.token = 'error';
      }),
    embedded: {
      ...SUCCESS,
      said: 'turn without a token, issuer asked 2×',
      status: 'needs_login',
    },
    needs: VENDOR,
  },
  {
    name: 'token run out: issuer away',
    play: (act) => turnAfter(act, ({ world }) => world.issuer.close()),
    embedded: { ...SUCCESS, said: 'turn without a token, issuer asked 1×' },
    needs: VENDOR,
  },
  {
    name: 'store changed meanwhile',
    play: async (act) => {
      await act.begin();
      await new AuthStore(act.world.stateRoot).remove(CODEX);
      await act.answer(await act.agree());
      await act.ended();
    },
    embedded: comesTo('auth_changed', FAILED),
    needs: VENDOR,
  },
  {
    name: 'store cannot be written',
    play: async (act) => {
      await act.begin();
      inTheWay(act);
      await act.answer(await act.agree());
      await act.ended();
    },
    embedded: comesTo('storage_failed', FAILED, NOTHING, 'internal_error'),
    needs: VENDOR,
  },
  {
    name: 'store broken while it waits',
    play: async (act) => {
      await act.begin();
      breakStore(act);
      await act.answer(await act.agree());
      await act.ended();
    },
    embedded: comesTo('storage_failed', FAILED, NOTHING, 'internal_error'),
    needs: VENDOR,
  },
  {
    name: 'store broken before the start',
    play: async (act) => {
      breakStore(act);
      await act.start();
      await act.logout(true);
    },
    embedded: comesTo(NOTHING, NOTHING, 'internal_error, internal_error', 'internal_error'),
    needs: 'a store of a known form',
  },
];
