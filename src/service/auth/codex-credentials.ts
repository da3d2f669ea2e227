/**
 * The Codex credential for use, refreshed when it is about to end (PROTOCOL.md, "Authentication").
 * Invariants: one refresh at a time for all services of a state root, because a refresh token may work only once; what
 * another process has stored meanwhile wins; a credential that was removed is not brought back.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { OAuthRecord } from './auth-file.ts';
import type { AuthStore } from './auth-store.ts';
import { OAuthClient } from './oauth-client.ts';
import { oauthSettings } from './oauth-settings.ts';
import { awaitLock } from './patient-lock.ts';

/** The one provider that is signed in to. */
export const CODEX = 'openai-codex';

export type Credential =
  | { readonly ok: true; readonly access: string; readonly accountId: string }
  /** `unreachable`: it may work next time. `unusable`: the store cannot be read. */
  | { readonly ok: false; readonly why: 'missing' | 'needs_login' | 'unreachable' | 'unusable' };

export interface CodexCredentialsOptions {
  readonly store: AuthStore;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
}

type Stored = { readonly record: OAuthRecord; readonly generation: number };

/** A token that ends sooner is refreshed first: requests take their time. */
const MARGIN_MS = 300_000;
const REFRESH_MS = 30_000;
/** For another process to finish its refresh. */
const LOCK_MS = REFRESH_MS + 5_000;

export class CodexCredentials {
  readonly #options: CodexCredentialsOptions;
  #refreshing: Promise<Credential> | null = null;

  constructor(options: CodexCredentialsOptions) {
    this.#options = options;
  }

  async current(): Promise<Credential> {
    const stored = this.#stored();
    if ('why' in stored) return stored;
    if (this.#isFresh(stored)) return credentialOf(stored.record);
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** The vendor does not take this access token any more: unless it was replaced meanwhile, a new sign-in is needed. */
  async refused(access: string): Promise<void> {
    const { log, store } = this.#options;
    const stored = this.#stored();
    if ('why' in stored || stored.record.access !== access) return;
    const change = await store.putOAuth(CODEX, { ...stored.record, needs_login: true }, stored.generation);
    log.warn('a credential was refused', { provider: CODEX, noted: change.ok });
  }

  #stored(): Stored | Extract<Credential, { ok: false }> {
    const read = this.#options.store.read();
    if (!read.ok) {
      this.#options.log.warn('the store of credentials cannot be used', { reason: read.reason });
      return { ok: false, why: 'unusable' };
    }
    const record = read.auth.oauth(CODEX);
    if (record === null) return { ok: false, why: 'missing' };
    if (record.needs_login === true) return { ok: false, why: 'needs_login' };
    return { record, generation: read.auth.generation(CODEX) };
  }

  #isFresh({ record }: Stored): boolean {
    return record.expires - MARGIN_MS > this.#options.clock.now();
  }

  async #refresh(): Promise<Credential> {
    const lock = await awaitLock(this.#options.store.refreshLock, LOCK_MS);
    if (lock === null) return { ok: false, why: 'unreachable' };
    try {
      const stored = this.#stored();
      if ('why' in stored) return stored;
      return this.#isFresh(stored) ? credentialOf(stored.record) : await this.#ask(stored);
    } finally {
      lock.release();
    }
  }

  async #ask({ generation, record }: Stored): Promise<Credential> {
    const { clock, env, log, store } = this.#options;
    const settings = oauthSettings(env);
    if (!settings.ok) return { ok: false, why: 'unreachable' };
    const abort = new AbortController();
    const cancelTimer = clock.after(REFRESH_MS, () => abort.abort());
    const client = new OAuthClient(settings.settings, () => clock.now());
    const outcome = await client.refresh(record, abort.signal).finally(cancelTimer);
    if (!outcome.ok) log.warn('a credential was not refreshed', { provider: CODEX, reason: outcome.reason });
    if (!outcome.ok && outcome.why === 'unreachable') return { ok: false, why: 'unreachable' };
    const next = outcome.ok ? outcome.record : { ...record, needs_login: true };
    const change = await store.putOAuth(CODEX, next, generation);
    if (!change.ok && change.why === 'changed') return this.#afterChange();
    if (!change.ok)
      log.error('a refreshed credential was not stored', { provider: CODEX, reason: change.reason });
    return outcome.ok ? credentialOf(next) : { ok: false, why: 'needs_login' };
  }

  /** Somebody signed in or out meanwhile. */
  #afterChange(): Credential {
    const stored = this.#stored();
    if ('why' in stored) return stored;
    return this.#isFresh(stored) ? credentialOf(stored.record) : { ok: false, why: 'unreachable' };
  }
}

function credentialOf({ access, account_id: accountId }: OAuthRecord): Credential {
  return { ok: true, access, accountId };
}
