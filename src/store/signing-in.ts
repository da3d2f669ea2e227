/**
 * Signing in and out over a link that may be lost (PROTOCOL.md, "Authentication").
 * Invariants: one sign-in at a time here; one that was lost with its link is looked up and never begun again by
 * itself; addresses and pasted text stay in memory and are dropped with the end.
 */
import type { Connection } from '../client/connection.ts';
import { asFailure, WireFailure } from '../client/failure.ts';
import { settleOperation } from '../client/lookup.ts';
import { type SignIn, startSignIn } from '../client/sign-in.ts';
import { beginSignIn, type SignInInput, signInStep } from './sign-in.ts';
import { endWords, LOGOUT_LIMITS } from './sign-in-words.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import { noticed } from './updates.ts';

export interface SigningInParts {
  readonly store: Store<State>;
  /** The present connection; null while the link is lost. */
  readonly connection: () => Connection | null;
  readonly newOperationId: () => string;
  /** Unix time, ms. */
  readonly now: () => number;
  /** Runs something after some ms; the returned function takes it back. */
  readonly later: (run: () => void, ms: number) => () => void;
  /** Who can answer may have changed. */
  readonly changed: () => void;
  /** Tells a failure of the service; anything else is a fault of the program. */
  readonly report: (error: unknown) => void;
}

/** Between two looks at who is signed in, ms. */
const FOLLOW_MS = 800;

interface Attempt {
  readonly operationId: string;
  readonly instanceId: string;
  /** Null until the service has begun it. */
  signIn: SignIn | null;
}

export class SigningIn {
  readonly #parts: SigningInParts;
  #attempt: Attempt | null = null;

  constructor(parts: SigningInParts) {
    this.#parts = parts;
  }

  /** Reads who is signed in. */
  readProviders(): Promise<void> {
    return this.#reporting(async (connection) => {
      const { providers } = await connection.request('auth.status', {});
      const before = this.#parts.store.getState();
      if (isSame(before.providers, providers)) return;
      this.#parts.store.update((state) => ({ ...state, providers }));
      // Somebody may have signed in elsewhere: then the question who should answer is answered.
      if (before.setup !== null) this.#parts.changed();
    });
  }

  /** Reads who is signed in again and again, for others may sign in and out; until the returned function is called. */
  follow(): () => void {
    let isOver = false;
    let stop: () => void = () => undefined;
    const next = (): void => {
      stop = this.#parts.later(() => {
        void this.readProviders().then(() => {
          if (!isOver) next();
        });
      }, FOLLOW_MS);
    };
    void this.#lookAround();
    next();
    return () => {
      isOver = true;
      stop();
    };
  }

  /** Asking who there is makes the service look for servers on its machine; they are then listed like the others. */
  async #lookAround(): Promise<void> {
    await this.readProviders();
    const connection = this.#parts.connection();
    if (connection === null) return;
    try {
      await connection.request('catalog.providers', { limit: 1 });
    } catch (error) {
      // Whoever is known is listed all the same.
      if (error instanceof WireFailure) return;
      throw error;
    }
    await this.readProviders();
  }

  /** Begins to sign in, unless a sign-in runs. */
  async begin(providerId: string): Promise<void> {
    const connection = this.#parts.connection();
    const present = this.#parts.store.getState().signIn;
    if (connection === null || (present !== null && present.end === null)) return;
    const attempt: Attempt = {
      operationId: this.#parts.newOperationId(),
      instanceId: connection.service.instance_id,
      signIn: null,
    };
    this.#attempt = attempt;
    this.#parts.store.update((state) => ({ ...state, signIn: beginSignIn(providerId) }));
    try {
      attempt.signIn = await startSignIn(connection, providerId, attempt.operationId, (event) => {
        if (this.#attempt !== attempt) return;
        this.#take(event.kind === 'terminal' ? event : { ...event, now: this.#parts.now() });
        if (event.kind === 'terminal') this.#over();
      });
      this.#take({ kind: 'started' });
    } catch (error) {
      const { code, next, sentence } = asFailure(error);
      if (code === 'link_lost') return;
      this.#take({ kind: 'refused', sentence, next });
      this.#attempt = null;
    }
  }

  /** Hands in what was pasted; once. */
  async submit(input: string): Promise<void> {
    const signIn = this.#attempt?.signIn ?? null;
    if (signIn === null || this.#parts.store.getState().signIn?.pasted !== 'no') return;
    this.#take({ kind: 'pasting' });
    await this.#asking(
      () => signIn.submit(input),
      () => this.#take({ kind: 'paste-taken' }),
    );
  }

  /** Asks for the end; it still has to come. */
  async cancel(): Promise<void> {
    const signIn = this.#attempt?.signIn ?? null;
    if (signIn === null || this.#parts.store.getState().signIn?.cancelling !== false) return;
    this.#take({ kind: 'cancelling' });
    await this.#asking(
      () => signIn.cancel(),
      () => undefined,
    );
  }

  /** The screen of a sign-in that has ended is left. */
  forget(): void {
    this.#parts.store.update((state) => (state.signIn?.end == null ? state : { ...state, signIn: null }));
  }

  /** Removes what is stored of a provider. The person has confirmed it. */
  async signOut(providerId: string): Promise<void> {
    await this.#reporting(async (connection) => {
      const payload = { provider_id: providerId, confirmed: true };
      const { removed } = await connection.request('auth.logout', payload);
      const done = removed ? `Signed out of ${providerId}.` : `Nothing was stored for ${providerId}.`;
      this.#parts.store.update(noticed(`${done} ${LOGOUT_LIMITS}`, 'info'));
      this.#parts.changed();
    });
    await this.readProviders();
  }

  /** The link is gone. */
  lose(): void {
    if (this.#attempt !== null) this.#take({ kind: 'link-lost' });
  }

  /** There is a link again: what became of the sign-in? @throws WireFailure link_lost */
  async arrive(connection: Connection): Promise<void> {
    const attempt = this.#attempt;
    const { signIn } = this.#parts.store.getState();
    if (attempt === null || signIn === null || !signIn.lost) return;
    const { instanceId, operationId } = attempt;
    const key = { instanceId, operationId, method: 'auth.login.start', sessionId: null } as const;
    const settled = await settleOperation(connection, key);
    if (this.#attempt !== attempt) return;
    // A service that still cleans up, or goes on without us, tells nobody: it is asked until it is over.
    if (settled === 'running') {
      this.#parts.later(() => void this.#askAgain(connection), FOLLOW_MS);
      return;
    }
    const { providers } = await connection.request('auth.status', {});
    const isReady = providers.some(({ provider_id, ready }) => provider_id === signIn.providerId && ready);
    this.#parts.store.update((state) => ({ ...state, providers }));
    this.#take({ kind: 'looked-up', found: isReady ? 'signed-in' : 'not-signed-in' });
    this.#over();
  }

  async #askAgain(connection: Connection): Promise<void> {
    if (this.#parts.connection() === connection) await this.#reporting((present) => this.arrive(present));
  }

  #over(): void {
    this.#attempt = null;
    const { signIn } = this.#parts.store.getState();
    // Whoever looks at another screen is told there.
    if (signIn?.end != null) {
      const { next, sentence } = endWords(signIn.end);
      const isGood = next === '';
      this.#parts.store.update(noticed(`${sentence} ${next}`.trim(), isGood ? 'info' : 'warn'));
      // Asked again below: whoever has signed in need not see the question meanwhile.
      if (isGood) this.#parts.store.update((state) => ({ ...state, setup: null }));
    }
    void this.readProviders();
    this.#parts.changed();
  }

  async #reporting(job: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = this.#parts.connection();
    if (connection === null) return;
    try {
      await job(connection);
    } catch (error) {
      this.#parts.report(error);
    }
  }

  async #asking(ask: () => Promise<void>, done: () => void): Promise<void> {
    try {
      await ask();
      done();
    } catch (error) {
      const failure: WireFailure = asFailure(error);
      if (failure.code !== 'link_lost')
        this.#take({ kind: 'not-done', note: `${failure.sentence} ${failure.next}` });
    }
  }

  #take(input: SignInInput): void {
    this.#parts.store.update((state) =>
      state.signIn === null ? state : { ...state, signIn: signInStep(state.signIn, input) },
    );
  }
}

function isSame(before: State['providers'], now: NonNullable<State['providers']>): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
