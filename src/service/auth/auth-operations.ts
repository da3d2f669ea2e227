/**
 * `auth.login.*` and `auth.logout` (PROTOCOL.md, "Authentication").
 * Invariants: one sign-in at a time, and none while somebody signs out; its events go to the connection that began it and
 * to no other; the start's response is queued before its first event; the operation is settled when the outcome is told.
 */
import { randomUUID } from 'node:crypto';
import {
  loginCallbackRequest,
  loginCancelRequest,
  loginStartRequest,
  logoutRequest,
} from '../../wire/auth.ts';
import type { EventName } from '../../wire/operations.ts';
import type { Clock } from '../clock.ts';
import type { Recipient } from '../coordinator/actor.ts';
import type { Operation } from '../coordinator/operation-table.ts';
import { done, fail, type MutationCall, type Reply, refuse } from '../coordinator/reply.ts';
import type { Log } from '../log.ts';
import type { AuthStore } from './auth-store.ts';
import { CODEX } from './codex-credentials.ts';
import { Login } from './login.ts';
import type { Outcome } from './login-machine.ts';
import { OAuthClient } from './oauth-client.ts';
import { type OAuthSettings, oauthSettings } from './oauth-settings.ts';

export interface AuthOperationsOptions {
  readonly instanceId: string;
  readonly store: AuthStore;
  readonly env: NodeJS.ProcessEnv;
  /** Whether there is such a provider, signed in to or not. */
  readonly isProvider: (id: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

interface Active {
  readonly id: string;
  readonly login: Login;
  readonly recipient: Recipient;
  readonly operation: Operation;
}

export class AuthOperations {
  readonly #options: AuthOperationsOptions;
  #active: Active | null = null;
  #isSigningOut = false;

  constructor(options: AuthOperationsOptions) {
    this.#options = options;
  }

  start(call: MutationCall): Reply {
    const parsed = loginStartRequest.safeParse(call.request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    if (parsed.data.provider_id !== CODEX) return refuse('provider_unavailable');
    if (this.#active !== null || this.#isSigningOut) return refuse('auth_busy');
    const { env, log, store } = this.#options;
    const unable = (reason: string): Reply => {
      log.warn('a sign-in cannot begin', { provider: CODEX, reason });
      return refuse('internal_error');
    };
    const settings = oauthSettings(env);
    if (!settings.ok) return unable(settings.reason);
    const read = store.read();
    if (!read.ok) return unable(read.reason);
    const active = this.#open(call, settings.settings, read.auth.generation(CODEX));
    this.#active = active;
    call.operation.accept({ login_id: active.id });
    const payload = { login_id: active.id, provider_id: CODEX, status: 'started' };
    return { ok: true, payload, result: null, afterwards: () => active.login.begin() };
  }

  callback(call: MutationCall): Reply {
    const active = this.#ownOf(call);
    if (active === null) return refuse('unknown_login');
    const parsed = loginCallbackRequest.safeParse(call.request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { input, login_id } = parsed.data;
    if (login_id !== active.id) return refuse('unknown_login');
    if (!active.login.reserve()) return refuse('auth_busy');
    return doneThen({ login_id, status: 'submitted' }, () => active.login.submit(input));
  }

  cancel(call: MutationCall): Reply {
    const active = this.#ownOf(call);
    if (active === null) return refuse('unknown_login');
    const parsed = loginCancelRequest.safeParse(call.request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    const { login_id } = parsed.data;
    if (login_id !== active.id) return refuse('unknown_login');
    return doneThen({ login_id, status: 'cancellation_requested' }, () => active.login.cancel());
  }

  async logout({ operation, request }: MutationCall): Promise<Reply> {
    const parsed = logoutRequest.safeParse(request.payload);
    if (!parsed.success) return refuse('invalid_payload');
    if (this.#isSigningOut) return refuse('auth_busy');
    const { confirmed, provider_id } = parsed.data;
    if (confirmed !== true) return refuse('confirmation_required');
    if (!this.#options.isProvider(provider_id) && !this.#isStored(provider_id))
      return refuse('provider_unavailable');
    this.#isSigningOut = true;
    operation.accept(null);
    try {
      return await this.#signOut(provider_id);
    } finally {
      this.#isSigningOut = false;
    }
  }

  /** The initiator is gone: nobody could finish its sign-in. */
  disconnect(recipient: Recipient): void {
    if (this.#active?.recipient.id === recipient.id) this.#active.login.cancel();
  }

  /** Cancels what runs and waits for its end. */
  async close(): Promise<void> {
    this.#active?.login.cancel();
    await this.#active?.login.settled;
  }

  #ownOf({ connection }: MutationCall): Active | null {
    return this.#active?.recipient.id === connection.id ? this.#active : null;
  }

  #isStored(provider: string): boolean {
    const read = this.#options.store.read();
    return read.ok && read.auth.has(provider);
  }

  async #signOut(provider: string): Promise<Reply> {
    if (provider === CODEX) await this.close();
    const change = await this.#options.store.remove(provider);
    if (!change.ok) {
      this.#options.log.warn('a credential was not removed', { provider, reason: change.reason });
      return fail('internal_error');
    }
    const removed = change.had;
    return done({ provider_id: provider, status: 'logged_out', removed, environment_unchanged: true });
  }

  #open({ connection, operation }: MutationCall, settings: OAuthSettings, generation: number): Active {
    const { clock, log, store } = this.#options;
    const id = randomUUID();
    const login = new Login({
      providerId: CODEX,
      client: new OAuthClient(settings, () => clock.now()),
      callbackPort: settings.callbackPort,
      store,
      generation,
      clock,
      log,
      announce: (state, { notice, url }) => {
        const address = url === null ? {} : { url, open_browser: true };
        const words = notice === null ? {} : { notice };
        this.#tell(active, 'auth.login.progress', { state, ...address, ...words });
      },
      ended: (outcome) => this.#end(active, outcome),
    });
    const active: Active = { id, login, recipient: connection, operation };
    return active;
  }

  #end(active: Active, outcome: Outcome): void {
    const { log } = this.#options;
    log.info('a sign-in ended', { provider: CODEX, outcome });
    this.#active = null;
    const status = statusOf(outcome);
    const result = { login_id: active.id, status, cleanup_complete: true };
    active.operation.finish(result, status === 'failed' ? 'internal_error' : null);
    this.#tell(active, 'auth.login.terminal', { state: outcome, cleanup_complete: true });
  }

  #tell({ id, operation, recipient }: Active, event: EventName, more: object): void {
    recipient.event({
      protocol_version: 2,
      kind: 'event',
      instance_id: this.#options.instanceId,
      connection_id: recipient.id,
      event_id: randomUUID(),
      session_id: null,
      operation_id: operation.id,
      grant_generation: null,
      live_sequence: null,
      event,
      payload: { login_id: id, provider_id: CODEX, ...more },
    });
  }
}

/** The response comes before what it leads to. */
function doneThen(payload: object, afterwards: () => void): Reply {
  return { ok: true, payload, result: { status: 'completed' }, afterwards };
}

/** What lookup tells; the label itself is in the event only. */
function statusOf(outcome: Outcome): 'completed' | 'cancelled' | 'failed' {
  if (outcome === 'exchange_succeeded') return 'completed';
  return outcome === 'cancelled' ? 'cancelled' : 'failed';
}
