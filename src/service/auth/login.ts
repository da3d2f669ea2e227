/**
 * One sign-in: does what the states ask for (PROTOCOL.md, "Authentication").
 * Invariants: one answer is taken, by redirect or by hand; the outcome is told when listener, timers and requests are
 * gone; address, state, verifier, code and tokens live in here only and are dropped with the outcome.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { OAuthRecord } from './auth-file.ts';
import type { AuthStore } from './auth-store.ts';
import { type CallbackInput, readCallbackInput } from './callback-input.ts';
import { type CallbackListener, listenForCallback, type Reception } from './callback-server.ts';
import {
  FIRST,
  type LoginEffect,
  type LoginInput,
  type LoginState,
  type Outcome,
  type Progress,
  step,
} from './login-machine.ts';
import type { Attempt, OAuthClient } from './oauth-client.ts';

export interface LoginOptions {
  readonly providerId: string;
  readonly client: OAuthClient;
  readonly callbackPort: number;
  readonly store: AuthStore;
  /** Of the provider in the store when the sign-in began. */
  readonly generation: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The address comes with `authorization_url` only, words for people with `waiting` only. */
  readonly announce: (progress: Progress, more: Announced) => void;
  readonly ended: (outcome: Outcome) => void;
}

export interface Announced {
  readonly url: string | null;
  readonly notice: string | null;
}

/** How long the browser may take. */
const CALLBACK_MS = 300_000;
/** For the exchange with the issuer. */
const EXCHANGE_MS = 30_000;

export class Login {
  /** Resolves after the outcome was told. */
  readonly settled: Promise<void>;
  readonly #options: LoginOptions;
  readonly #abort = new AbortController();
  readonly #inputs: LoginInput[] = [];
  #settle: () => void = () => undefined;
  #state: LoginState = FIRST;
  #working = false;
  #task: Promise<void> = Promise.resolve();
  #cancelTimer: () => void = () => undefined;
  #listener: CallbackListener | null = null;
  #attempt: Attempt | null = null;
  /** An answer was taken. */
  #isTaken = false;
  /** What was taken; null while nothing has come, and when it is no answer at all. */
  #callback: CallbackInput | null = null;
  /** The answer is here, and not only promised. */
  #isHere = false;
  #checked: URLSearchParams | null = null;
  #record: OAuthRecord | null = null;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  begin(): void {
    if (this.#state.kind === 'preparing') this.#run(() => this.#prepare());
  }

  /** Takes the place of the one answer; false when another one has it. */
  reserve(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  /** What was pasted, after its place was taken. */
  submit(input: string): void {
    this.#deliver(readCallbackInput(input));
  }

  /** The outcome still follows; it is another one when the credential is being stored already. */
  cancel(): void {
    this.#take('cancelled');
  }

  #deliver(callback: CallbackInput | null): void {
    this.#callback = callback;
    this.#isHere = true;
    this.#take('received');
  }

  /** One input after the other, also those that effects bring about. */
  #take(input: LoginInput): void {
    this.#inputs.push(input);
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
      const { effects, state } = step(this.#state, next);
      this.#state = state;
      for (const effect of effects) this.#perform(effect);
    }
    this.#working = false;
  }

  #perform(effect: LoginEffect): void {
    switch (effect.do) {
      case 'announce':
        this.#options.announce(effect.progress, {
          url: effect.progress === 'authorization_url' ? (this.#attempt?.url ?? null) : null,
          notice: effect.progress === 'waiting' && this.#listener === null ? this.#portIsTaken() : null,
        });
        return;
      case 'wait':
        this.#wait();
        return;
      case 'check':
        this.#check();
        return;
      case 'exchange':
        this.#run(() => this.#exchange());
        return;
      case 'store':
        this.#run(() => this.#store());
        return;
      case 'clean':
        void this.#clean().then(() => this.#take('cleaned'));
        return;
      case 'end':
        this.#options.ended(effect.outcome);
        this.#settle();
    }
  }

  #run(task: () => Promise<LoginInput>): void {
    this.#task = task().then(
      (input) => this.#take(input),
      (error) => {
        const kind = error instanceof Error ? error.name : typeof error;
        this.#options.log.error('a sign-in failed unexpectedly', {
          provider: this.#options.providerId,
          kind,
        });
        this.#take('crashed');
      },
    );
  }

  async #prepare(): Promise<LoginInput> {
    const { callbackPort, client, log, providerId } = this.#options;
    this.#listener = await listenForCallback(callbackPort, {
      receive: (parameters) => this.#receive(parameters),
      deliver: (parameters) => this.#deliver({ bare: false, parameters }),
    });
    if (this.#listener === null)
      log.warn('the callback port is taken: sign-in by hand only', {
        provider: providerId,
        port: callbackPort,
      });
    this.#attempt = await client.begin(this.#listener?.port ?? callbackPort);
    return 'prepared';
  }

  #portIsTaken(): string {
    const { callbackPort } = this.#options;
    return `Port ${callbackPort} of this machine is taken, so the browser cannot come back by itself: paste its final address here.`;
  }

  #receive(parameters: URLSearchParams): Reception {
    if (this.#attempt === null || parameters.get('state') !== this.#attempt.state) {
      this.#options.log.warn('a browser came back for another sign-in: it was sent away', {
        provider: this.#options.providerId,
      });
      return 'foreign';
    }
    if (!this.reserve()) return 'late';
    return parameters.has('error') ? 'refused' : 'taken';
  }

  #wait(): void {
    this.#cancelTimer = this.#options.clock.after(CALLBACK_MS, () => this.#take('timed-out'));
    if (this.#isHere) this.#take('received');
  }

  #check(): void {
    this.#cancelTimer();
    if (this.#callback !== null && this.#attempt !== null)
      this.#checked = this.#options.client.check(this.#callback, this.#attempt);
    this.#take(this.#checked === null ? 'refused' : 'accepted');
  }

  async #exchange(): Promise<LoginInput> {
    if (this.#checked === null || this.#attempt === null) return 'crashed';
    const { client, clock, log, providerId } = this.#options;
    this.#cancelTimer = clock.after(EXCHANGE_MS, () => this.#abort.abort());
    const outcome = await client.exchange(this.#checked, this.#attempt, this.#abort.signal);
    this.#cancelTimer();
    if (outcome.ok) {
      this.#record = outcome.record;
      return 'exchanged';
    }
    log.warn('the exchange of a sign-in failed', { provider: providerId, reason: outcome.reason });
    return 'exchange-failed';
  }

  async #store(): Promise<LoginInput> {
    if (this.#record === null) return 'crashed';
    const { generation, log, providerId, store } = this.#options;
    const change = await store.putOAuth(providerId, this.#record, generation);
    if (change.ok) return 'stored';
    log.warn('a sign-in was not stored', { provider: providerId, reason: change.reason });
    return change.why === 'changed' ? 'changed' : 'storage-failed';
  }

  /** Never fails: there is nothing left to do about it. */
  async #clean(): Promise<void> {
    this.#cancelTimer();
    this.#abort.abort();
    // The task may be the one that has led here; it waits for nothing any more.
    await this.#task;
    await this.#listener?.close();
    this.#listener = null;
    this.#attempt = null;
    this.#callback = null;
    this.#checked = null;
    this.#record = null;
  }
}
