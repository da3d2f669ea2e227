/** A sign-in over a link that is lost (PROTOCOL.md, "Authentication"). */
import { expect, test, vi } from 'vitest';
import { refusal, unanswered } from '../../src/client/failure.ts';
import type { LookupResult } from '../../src/wire/operation.ts';
import { FakeService } from './fake-service.ts';
import { type Scene, scene, untilReady } from './scene.ts';

const CODEX = 'openai-codex';
const LINK = 'https://auth.example.test/authorize?state=made-up';

/** A service that signs in, step by step as the test says. */
class SignInService extends FakeService {
  readonly begun: string[] = [];
  isSignedIn = false;
  /** What a lookup of the start says, one after the other; the last one stays. */
  lookups: LookupResult['state'][] = ['unknown'];

  constructor() {
    super('instance-1');
    this.handlers.set('auth.status', () => ({
      providers: [
        {
          provider_id: CODEX,
          auth_method: 'oauth',
          source: 'shared_store',
          readiness: this.isSignedIn ? 'ready' : 'missing',
          ready: this.isSignedIn,
        },
      ],
    }));
    this.handlers.set('auth.login.start', (_payload, slots) => {
      this.begun.push(slots?.operationId ?? '');
      return { login_id: 'login-1', provider_id: CODEX, status: 'started' };
    });
    this.handlers.set('auth.login.cancel', () => ({ login_id: 'login-1', status: 'cancellation_requested' }));
    this.handlers.set('auth.login.callback', () => ({ login_id: 'login-1', status: 'submitted' }));
    this.handlers.set('operation.lookup', (payload) => {
      const state = this.lookups.length > 1 ? this.lookups.shift() : this.lookups[0];
      const about = state === 'unknown' ? null : 'auth.login.start';
      return { ...(payload as object), method: about, session_id: null, result: null, error: null, state };
    });
  }

  progress(...states: string[]): void {
    for (const state of states) {
      const url = state === 'authorization_url' ? { url: LINK, open_browser: true } : {};
      this.#tell('auth.login.progress', { state, ...url });
    }
  }

  ends(state: string): void {
    this.#tell('auth.login.terminal', { state, cleanup_complete: true });
  }

  #tell(event: 'auth.login.progress' | 'auth.login.terminal', more: Record<string, unknown>): void {
    const payload = { login_id: 'login-1', provider_id: CODEX, ...more };
    this.sendLogin(event, this.begun.at(-1) ?? '', payload);
  }
}

async function signing(): Promise<Scene & { readonly service: SignInService }> {
  const service = new SignInService();
  const made = scene(service);
  await untilReady(made);
  return Object.assign(made, { service });
}

const present = ({ store }: Scene) => store.getState().signIn;

const STAGES: readonly (readonly [string, readonly string[]])[] = [
  ['before there is a link', []],
  ['with a link', ['authorization_url']],
  ['while it waits', ['authorization_url', 'waiting']],
  ['with an answer', ['authorization_url', 'waiting', 'callback_received']],
  ['in the exchange', ['authorization_url', 'waiting', 'callback_received', 'callback_accepted']],
];

test.each(STAGES)(
  'lost %s: it is looked up until it is over, and never begun again',
  async (_name, states) => {
    for (const end of ['signed-in', 'not-signed-in'] as const) {
      const made = await signing();
      await made.conversation.signing.begin(CODEX);
      made.service.progress(...states);
      made.service.lookups = ['in_progress', 'accepted', 'terminal'];
      made.service.isSignedIn = end === 'signed-in';
      made.service.drop();
      expect(present(made)?.lost).toBe(true);
      for (let look = 0; look < 2; look += 1) {
        const waited = made.waits.length;
        await vi.waitFor(() => expect(made.waits.length).toBeGreaterThan(waited));
        expect(present(made)?.end).toBeNull();
        made.later();
      }
      await vi.waitFor(() => expect(present(made)?.end).toEqual({ kind: 'looked-up', found: end }));
      expect(present(made)?.url).toBeNull();
      expect(made.service.begun.length).toBe(1);
    }
  },
);

test('a start whose answer was lost is looked up, too', async () => {
  const made = await signing();
  const answer = made.service.handlers.get('auth.login.start');
  made.service.handlers.set('auth.login.start', (payload, slots) => {
    answer?.(payload, slots);
    throw unanswered('link_lost', 'uncertain');
  });
  await made.conversation.signing.begin(CODEX);
  made.service.drop();
  await vi.waitFor(() => expect(present(made)?.end).toEqual({ kind: 'looked-up', found: 'not-signed-in' }));
  expect(made.service.begun.length).toBe(1);
});

test('cancelling waits for the real end, whichever that is', async () => {
  for (const state of ['cancelled', 'exchange_succeeded', 'callback_failed']) {
    const made = await signing();
    await made.conversation.signing.begin(CODEX);
    made.service.progress('authorization_url', 'waiting');
    await made.conversation.signing.cancel();
    await made.conversation.signing.cancel();
    expect(present(made)).toMatchObject({ cancelling: true, end: null });
    expect(made.service.calls.filter((call) => call === 'auth.login.cancel').length).toBe(1);
    made.service.ends(state);
    expect(present(made)?.end).toEqual({ kind: 'terminal', state });
  }
});

test('a sign-in that is refused says why, and can be begun again', async () => {
  const made = await signing();
  const answer = made.service.handlers.get('auth.login.start');
  made.service.handlers.set('auth.login.start', () => {
    throw refusal({ code: 'auth_busy' });
  });
  await made.conversation.signing.begin(CODEX);
  expect(present(made)?.end).toMatchObject({ kind: 'refused' });
  if (answer !== undefined) made.service.handlers.set('auth.login.start', answer);
  await made.conversation.signing.begin(CODEX);
  expect(present(made)?.end).toBeNull();
});

test('servers that are found once somebody looks are listed', async () => {
  const made = await signing();
  const found = { auth_method: 'none', source: 'none', readiness: 'ready', ready: true };
  made.service.handlers.set('catalog.providers', () => {
    made.service.handlers.set('auth.status', () => ({ providers: [{ provider_id: 'ollama', ...found }] }));
    return { entries: [], next_offset: null, refresh: 'cache_only' };
  });
  const stop = made.conversation.signing.follow();
  await vi.waitFor(() => expect(made.store.getState().providers?.[0]?.provider_id).toBe('ollama'));
  stop();
});
